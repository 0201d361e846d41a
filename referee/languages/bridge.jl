# What answers the referee in a kernel of Julia: a Python process, which asks through its pipes, line by line.
module RefereeBridge

export begin_referee, ask

struct Session
    process::Base.Process
    folder::String               # arrays pass as .npy files in it
    kept::Dict{Int,Any}          # values that Python holds by number
    count::Base.RefValue{Int}
end

const TYPES = Dict("f8" => Float64, "f4" => Float32, "i8" => Int64, "i4" => Int32, "i2" => Int16, "i1" => Int8,
                   "u8" => UInt64, "u4" => UInt32, "u2" => UInt16, "u1" => UInt8, "b1" => Bool)
const NAMES = Dict(type => name for (name, type) in TYPES)

escaped(text) = replace(replace(replace(text, "\\" => "\\\\"), "\n" => "\\n"), "\t" => "\\t")
plain(text) = replace(text, r"\\[\\nt]" => s -> s == "\\n" ? "\n" : s == "\\t" ? "\t" : "\\")

"An array of a .npy file in C order, its axes reversed: Julia's first axis is the one that lies together."
function read_npy(path)
    open(path) do io
        read(io, 8)  # magic string and version 1.0
        header = String(read(io, Int(ltoh(read(io, UInt16)))))
        kind = TYPES[match(r"'descr': '[<|]([a-z]\d)'", header)[1]]
        sizes = [parse(Int, one.match) for one in eachmatch(r"\d+", match(r"'shape': \((.*?)\)", header)[1])]
        read!(io, Array{kind}(undef, reverse(sizes)...))
    end
end

"The reverse of `read_npy`."
function write_npy(path, array)
    kind = NAMES[eltype(array)]
    shape = join(reverse(size(array)), ", ") * (ndims(array) == 1 ? "," : "")
    mark = endswith(kind, "1") ? "|" : "<"
    header = "{'descr': '$mark$kind', 'fortran_order': False, 'shape': ($shape), }"
    header *= " "^(63 - (10 + length(header)) % 64) * "\n"
    open(path, "w") do io
        write(io, b"\x93NUMPY\x01\x00", htol(UInt16(length(header))), header, array)
    end
end

function keep(session, value)
    session.count[] += 1
    session.kept[session.count[]] = value
    ["H", string(session.count[])]
end

"A value as words: kinds and contents, in the order in which they are read."
function words(session, value)
    value === nothing && return ["0"]
    value isa Bool && return ["N", value ? "True" : "False"]
    value isa Integer && return ["N", string(value)]
    value isa AbstractFloat && return ["F", string(Float64(value))]
    value isa AbstractString && return ["S", escaped(String(value))]
    if value isa AbstractArray && haskey(NAMES, eltype(value))
        session.count[] += 1
        path = joinpath(session.folder, "$(session.count[]).npy")
        write_npy(path, Array(value))
        return ["A", path]
    end
    if value isa AbstractDict
        return vcat(["D", string(length(value))], [vcat(words(session, string(k)), words(session, v)) for (k, v) in value]...)
    end
    if value isa Union{Tuple,AbstractVector}
        return vcat(["T", string(length(value))], [words(session, one) for one in value]...)
    end
    keep(session, value)
end

"The value that the next words write; they are taken from the front."
function value!(session, words)
    kind = popfirst!(words)
    kind == "0" && return nothing
    text = popfirst!(words)
    kind == "N" && return text in ("True", "False") ? text == "True" : parse(Int, text)
    kind == "F" && return parse(Float64, text)
    kind == "S" && return plain(text)
    kind == "A" && return read_npy(text)
    kind == "H" && return session.kept[parse(Int, text)]
    kind == "G" && return getfield(Main, Symbol(text))
    items = Any[value!(session, words) for _ in 1:(kind == "D" ? 2 : 1) * parse(Int, text)]
    kind == "D" ? Dict(items[k] => items[k + 1] for k in 1:2:length(items)) : Tuple(items)
end

function run(source, name)
    redirected = stdout
    reader, writer = redirect_stdout()  # what a cell prints is not shown
    drain = @async read(reader)
    delete!(task_local_storage(), :SOURCE_PATH)  # include("...") of a cell begins in the working directory
    try
        include_string(Main, source, name)
    finally
        redirect_stdout(redirected)
        close(writer)
        wait(drain)
    end
    nothing
end

function settings(source)
    own = Module()
    include_string(own, source, "settings")
    found = filter(name -> occursin(r"^[A-Z][A-Z_0-9]*$", string(name)), names(own; all = true))
    Dict(string(name) => getfield(own, name) for name in found)
end

function answer(session, what, words)
    if what == "drop"
        delete!(session.kept, parse(Int, words[1]))
        nothing
    elseif what == "has"
        isdefined(Main, Symbol(words[1]))
    elseif what == "value"
        getfield(Main, Symbol(words[1]))
    elseif what == "execute"
        run(read(words[1], String), plain(words[2]))
    elseif what == "settings"
        settings(read(words[1], String))
    elseif what == "adapters"
        Tuple(string(name) for name in keys(Main.check))
    elseif what == "versions"
        Dict("Julia" => string(VERSION))
    else
        given = copy(words)
        name = popfirst!(given)
        arguments = Any[]
        while !isempty(given)
            push!(arguments, value!(session, given))
        end
        result = Base.invokelatest(getfield(Main.check, Symbol(name)), arguments...)
        name == "tensors" ? Tuple(Kept(one) for one in result) : result
    end
end

struct Kept; value; end  # stays here; Python holds its number
words(session::Session, value::Kept) = keep(session, value.value)

"""
    begin_referee(job)

The referee's process for a lesson that stands in Main; `job` is a JSON text. The interpreter is that of the variable
ROSETTA_PYTHON.
"""
function begin_referee(job)
    folder = mktempdir()
    write(joinpath(folder, "job.json"), job)
    command = `$(ENV["ROSETTA_PYTHON"]) -u -m referee.languages.julia $folder`
    Session(open(command, "r+"), folder, Dict{Int,Any}(), Ref(0))
end

"""
    ask(session, what)

Let the referee do `what` ("prove", "measure", "judge", "count", "record"), and answer its questions meanwhile.
"""
function ask(session, what)
    println(session.process, what)
    while !eof(session.process)
        given = String.(split(readline(session.process), '\t'))
        kind = popfirst!(given)
        kind == "done" && return nothing
        kind == "failed" && error(plain(given[1]))
        if kind == "say"
            print(plain(given[1]))
            continue
        end
        reply = try
            vcat(["ok"], words(session, answer(session, kind, given)))
        catch problem
            problem isa InterruptException && rethrow()
            ["error", string(typeof(problem).name.name), escaped(sprint(showerror, problem))]
        end
        println(session.process, join(reply, '\t'))
    end
    error("the referee's process ended")
end

end
