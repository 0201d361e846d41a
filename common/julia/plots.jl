# Pictures of a run: drawn as SVG in notebooks, as lines of text in a terminal. Base Julia alone.

"""
A picture with both its forms: `svg`, and `text` for where only text can be shown.
"""
struct Picture
    svg::String
    text::String
end

Base.show(io::IO, ::MIME"image/svg+xml", picture::Picture) = print(io, picture.svg)
Base.show(io::IO, ::MIME"text/plain", picture::Picture) = print(io, picture.text)

"""
    plot_training(history)

The curves of a run: `history` holds (losses, training accuracy, test accuracy) for each epoch. Left the mean loss,
right both accuracies.
"""
function plot_training(history)
    loss = [sum(losses) / length(losses) for (losses, _, _) in history]
    training, test = [100 * h[2] for h in history], [100 * h[3] for h in history]
    left = panel(60, "training loss", [("", "#1f77b4", loss)], (0.0, 5 * ceil(maximum(loss) / 5, sigdigits = 1)))
    low = 10 * floor((minimum([training; test]) - 1) / 10)
    right = panel(400, "accuracy, %", [("training", "#1f77b4", training), ("test", "#ff7f0e", test)], (low, 100.0))
    svg = """<svg xmlns="http://www.w3.org/2000/svg" width="700" height="260" font-family="sans-serif" font-size="12">
    <rect width="700" height="260" fill="white"/>$left$right</svg>"""
    bar(share) = repeat("█", round(Int, 40 * (share - low) / (100 - low)))
    lines = ["epoch $k  loss $(round(loss[k], digits = 3))  test $(bar(test[k])) $(round(test[k], digits = 1)) %"
             for k in eachindex(loss)]
    return Picture(svg, join(lines, "\n"))
end

# One set of axes, 260 x 180, whose left edge stands at x = `left`: values over epochs 1, 2, ...
function panel(left, title, curves, (low, high))
    n = length(curves[1][3])
    x(k) = round(left + (n > 1 ? 260 * (k - 1) / (n - 1) : 130), digits = 1)
    y(value) = round(220 - 180 * (value - low) / (high - low), digits = 1)
    out = ["""<text x="$left" y="24" font-size="13">$title</text>"""]
    for value in range(low, high, length = 6)
        label = high > 10 ? string(round(Int, value)) : string(round(value, digits = 3))
        push!(out, """<line x1="$left" x2="$(left + 260)" y1="$(y(value))" y2="$(y(value))" stroke="#ddd"/>""")
        push!(out, """<text x="$(left - 6)" y="$(y(value) + 4)" text-anchor="end">$label</text>""")
    end
    for k in unique(round.(Int, range(1, n, length = min(n, 4))))
        push!(out, """<text x="$(x(k))" y="238" text-anchor="middle">$k</text>""")
    end
    push!(out, """<text x="$(left + 130)" y="254" text-anchor="middle">epoch</text>""")
    for (number, (name, colour, values)) in enumerate(curves)
        points = join(("$(x(k)),$(y(values[k]))" for k in 1:n), " ")
        push!(out, """<polyline points="$points" fill="none" stroke="$colour" stroke-width="2"/>""")
        foreach(k -> push!(out, """<circle cx="$(x(k))" cy="$(y(values[k]))" r="3" fill="$colour"/>"""), 1:n)
        place = (left + 250, 196 - 18 * (length(curves) - number))
        push!(out, """<text x="$(place[1])" y="$(place[2])" text-anchor="end" fill="$colour">$name</text>""")
    end
    return join(out, "\n")
end

"""
    plot_profile(times)

Where the time goes: one bar for each kind of work, the longest on top. `times`: kinds and their times, in any unit; those
of less than half a percent count as "other".
"""
function plot_profile(times)
    shares = Dict(kind => 100 * time / sum(values(times)) for (kind, time) in times)
    kinds = sort([kind for (kind, share) in shares if kind != "other" && share >= 0.5], by = kind -> -shares[kind])
    rest = 100 - sum(Float64[shares[kind] for kind in kinds])
    bars = [[(kind, shares[kind], "#1f77b4") for kind in kinds]; rest < 0.5 ? [] : [("other", rest, "#888888")]]
    percent(share) = "$(round(Int, share)) %"
    svg, height = String[], 26 * length(bars) + 20
    for (row, (kind, share, colour)) in enumerate(bars)
        y, width = 26 * row - 12, round(4.2 * share, digits = 1)
        push!(svg, """<text x="182" y="$(y + 13)" text-anchor="end">$kind</text>""")
        push!(svg, """<rect x="190" y="$y" width="$width" height="18" fill="$colour"/>""")
        push!(svg, """<text x="$(196 + width)" y="$(y + 13)">$(percent(share))</text>""")
    end
    lines = [rpad(kind, 24) * repeat("█", round(Int, share / 2.5)) * " " * percent(share) for (kind, share, _) in bars]
    return Picture("""<svg xmlns="http://www.w3.org/2000/svg" width="700" height="$height" font-family="sans-serif" font-size="12">
    <rect width="700" height="$height" fill="white"/>$(join(svg, "\n"))</svg>""", join(lines, "\n"))
end

"""
    plot_shares(profiles, seconds)

What share of its time each kind of operation takes, a stacked bar for each form, beside the seconds of a call as dots.
`profiles`: form => rows (operation, kind, calls, milliseconds); `seconds`: form => seconds.
"""
function plot_shares(profiles, seconds)
    kinds = ["to the device" => "#d1603d", "product" => "#1b3a57", "product and sum" => "#4d7298",
             "sum" => "#5fa8d3", "back" => "#e3a857", "rest" => "#bbbbbb"]
    names, longest = sort!(collect(keys(profiles))), 1.15 * maximum(values(seconds))
    out, lines = String[], String[]
    place(x, y, text, more = "") = push!(out, """<text x="$x" y="$y" $more>$text</text>""")
    place(130, 24, "a call, milliseconds", "font-size=\"13\"")
    place(400, 24, "where the time goes, %", "font-size=\"13\"")
    low = 50 + 30 * length(names)
    for (number, name) in enumerate(names)
        y, left = 20 + 30 * number, 400.0
        place(120, y + 14, name, "text-anchor=\"end\"")
        x = round(130 + 240 * seconds[name] / longest, digits = 1)
        push!(out, """<circle cx="$x" cy="$(y + 10)" r="4" fill="#1b3a57"/>""")
        place(x + 8, y + 14, string(round(1e3 * seconds[name], digits = 2)))
        whole, parts = sum(row[4] for row in profiles[name]), String[]
        for (kind, colour) in kinds
            share = sum(Float64[row[4] / whole for row in profiles[name] if row[2] == kind])
            width = round(280 * share, digits = 1)
            push!(out, """<rect x="$(round(left, digits = 1))" y="$y" width="$width" height="20" fill="$colour"/>""")
            left += width
            share > 0 && push!(parts, "$kind $(round(100 * share, digits = 1)) %")
        end
        push!(lines, "$name  $(round(1e3 * seconds[name], digits = 2)) ms  $(join(parts, ", "))")
    end
    known = Set(row[2] for rows in values(profiles) for row in rows)
    for (number, (kind, colour)) in enumerate(filter(pair -> pair[1] in known, kinds))
        push!(out, """<rect x="$(30 + 130 * number)" y="$low" width="12" height="12" fill="$colour"/>""")
        place(47 + 130 * number, low + 11, kind)
    end
    svg = """<svg xmlns="http://www.w3.org/2000/svg" width="760" height="$(low + 24)" font-family="sans-serif" font-size="12">
    <rect width="760" height="$(low + 24)" fill="white"/>$(join(out, "\n"))</svg>"""
    return Picture(svg, join(lines, "\n"))
end
