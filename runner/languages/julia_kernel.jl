# The half of Julia's kernel that runs in `julia`: it executes cells and says what came of them, for julia_kernel.py.
#
#     julia julia_kernel.jl REQUESTS ANSWERS      numbers of two file descriptors
#
# A message is a count of entries (UInt32), then for each the length of its key (UInt32), the key, the length of its
# value (UInt64), the value. Requests: code, name. Answers have a kind: ready (version); display and result (a value for
# each MIME type); error (ename, evalue, traceback); done. What cells print goes to standard output.
module RosettaKernel

import REPL

Sys.islinux() && ccall(:prctl, Cint, (Cint, Culong, Culong, Culong, Culong), 1, 9, 0, 0, 0)  # ends with its parent
ccall(:jl_exit_on_sigint, Cvoid, (Cint,), 0)  # an interrupt is an InterruptException
requests, answers = [Base.PipeEndpoint(RawFD(parse(Int, number))) for number in ARGS]
empty!(ARGS)

function send(kind; entries...)
    message = IOBuffer()
    pairs = [:kind => kind; collect(entries)]
    write(message, UInt32(length(pairs)))
    for (key, value) in pairs
        name, bytes = string(key), value isa Vector{UInt8} ? value : Vector{UInt8}(codeunits(string(value)))
        write(message, UInt32(sizeof(name)), name, UInt64(length(bytes)), bytes)
    end
    write(answers, take!(message))
end

function receive()  # the entries of the next request; nothing when there is none any more
    try
        bytes() = read(requests, read(requests, UInt64))
        return Dict(String(read(requests, read(requests, UInt32))) => String(bytes()) for _ in 1:read(requests, UInt32))
    catch problem
        problem isa EOFError || problem isa Base.IOError || rethrow()
        return nothing
    end
end

# ---- what is shown

MIMES = ["image/png", "image/jpeg", "image/svg+xml", "text/html", "text/markdown", "text/latex"]

function content(mime, value)
    # bytes of a picture and text of other kinds are handed over as they are: display("image/png", bytes)
    mime != "text/plain" && value isa Union{Vector{UInt8},AbstractString} && return value
    io = IOBuffer()
    show(IOContext(io, :limit => true, :displaysize => (30, 100), :module => Main), MIME(mime), value)
    return take!(io)
end

function bundle(value)
    rich = [mime for mime in MIMES if showable(mime, value)]
    return [Symbol(mime) => content(mime, value) for mime in ["text/plain"; rich]]
end

struct Notebook <: AbstractDisplay end
Base.display(::Notebook, value) = send("display"; bundle(value)...)
Base.display(::Notebook, mime::MIME, value) = send("display"; Symbol(string(mime)) => content(string(mime), value))
Base.displayable(::Notebook, ::MIME) = true

# ---- cells

is_definition(last) = last isa Expr && (last.head in (:function, :macro, :struct) ||
    last.head == :(=) && last.args[1] isa Expr && last.args[1].head in (:call, :where, :(::)))

function run_cell(code, name)
    last = nothing
    function scoped(expression)
        last = expression
        return REPL.softscope(expression)
    end
    value = Base.invokelatest(include_string, scoped, Main, code, name)
    if value !== nothing && !is_definition(last) && !REPL.ends_with_semicolon(code)
        send("result"; Base.invokelatest(bundle, value)...)
    end
end

function report(problem, trace)
    line = nothing
    while problem isa LoadError  # include_string's own: says where in the cell
        line, problem = "$(problem.file):$(problem.line)", problem.error
    end
    frames = stacktrace(trace)
    last = findfirst(frame -> frame.func in (:include_string, :run_cell), frames)
    frames = frames[1:(last === nothing ? 0 : last - 1)]
    said = try
        Base.invokelatest(sprint, showerror, problem)
    catch
        "(its message cannot be shown)"
    end
    lines = [split(said, "\n"); ""]
    isempty(frames) && line !== nothing && push!(lines, "in $line")
    for (number, frame) in enumerate(frames[1:min(end, 20)])
        place = replace(string(frame.file), r"^\./(?=In\[)" => "")
        push!(lines, " [$number] $(frame.func) at $place:$(frame.line)")
    end
    length(frames) > 20 && push!(lines, " ... and $(length(frames) - 20) more")
    send("error"; ename = string(nameof(typeof(problem))), evalue = said, traceback = join(lines, "\n"))
end

function forget_interrupts()  # one that came when a cell had just ended is none of the next one
    try
        Base.reenable_sigint(() -> (yield(); GC.safepoint()))
    catch problem
        problem isa InterruptException || rethrow()
    end
end

function serve()
    pushdisplay(Notebook())
    send("ready"; version = VERSION)
    while (request = receive()) !== nothing
        delete!(task_local_storage(), :SOURCE_PATH)  # include("...") of a cell begins in the working directory
        forget_interrupts()
        try
            Base.reenable_sigint(() -> run_cell(request["code"], request["name"]))
        catch problem
            report(problem, catch_backtrace())
        end
        flush(stdout)
        Libc.flush_cstdio()
        send("done")
    end
end

disable_sigint(serve)

end
