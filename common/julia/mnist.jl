# MNIST: 60,000 training and 10,000 test digits, 28 x 28 grey pixels, 10 classes (LeCun et al. 1998).
using SHA: sha256

# The published files, and the sha256 of the bytes inside.
mnist_files() = (
    "train-images-idx3-ubyte" => "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "train-labels-idx1-ubyte" => "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "t10k-images-idx3-ubyte" => "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "t10k-labels-idx1-ubyte" => "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
)

"""
    load_mnist(source = "full", train_samples = 60000, test_samples = 10000)

The first digits as a named tuple: `x_train`, `x_test` are UInt8, 28 x 28 x N (column, row, digit), as published;
`y_train`, `y_test` are Int64 labels. `source` "sample": the 2,000 and 500 digits of `common/data/mnist.npz`; "full":
all of MNIST, from the folder `mnist` in `ENV["ROSETTA_DATA"]`, or else in `~/.cache/rosetta`.
"""
function load_mnist(source = "full", train_samples = 60000, test_samples = 10000)
    source in ("full", "sample") || throw(ArgumentError("DATA is $(repr(source)); it must be \"full\" or \"sample\""))
    x_train, y_train, x_test, y_test = source == "full" ? mnist_published() : mnist_sample()
    for (asked, there) in ((train_samples, length(y_train)), (test_samples, length(y_test)))
        0 < asked <= there || throw(ArgumentError("$asked digits asked for; MNIST ($source) has $there"))
    end
    return (x_train = x_train[:, :, 1:train_samples], y_train = Int64.(y_train[1:train_samples]),
            x_test = x_test[:, :, 1:test_samples], y_test = Int64.(y_test[1:test_samples]))
end

# An IDX file says its number of dimensions in its fourth byte, then each of them in four bytes; the pixels of a row lie
# side by side, so that Julia's first index is the column.
function mnist_published()
    home = get(ENV, "ROSETTA_DATA", "")
    folder = joinpath(expanduser(isempty(home) ? "~/.cache/rosetta" : home), "mnist")
    return map(mnist_files()) do (name, known)
        path = joinpath(folder, name * ".gz")
        isfile(path) || error("$path is missing: `./run_all.sh --data mnist` fetches it, ROSETTA_DATA names its folder")
        raw = read(`gzip -dc $path`)
        bytes2hex(sha256(raw)) == known || error("$path is not the published file: delete it and fetch it again")
        body = raw[5 + 4 * raw[4]:end]
        raw[4] == 3 ? reshape(body, 28, 28, :) : body
    end
end

# An .npz file is a zip file of .npy files. Its last 22 bytes say where the directory of the files stands. Each file is
# deflated as in a .gz file, so gzip takes it with a header of its own before it; behind it, checksum and length
# from the directory.
function mnist_sample()
    zip, found = read(joinpath(@__DIR__, "..", "data", "mnist.npz")), Dict{String,Vector{UInt8}}()
    number(place, bytes) = sum(Int(zip[place + k]) << 8k for k in 0:bytes - 1)  # little-endian
    at = 1 + number(length(zip) - 5, 4)
    while zip[at:at + 3] == b"PK\x01\x02"
        size, name_length, more = number(at + 20, 4), number(at + 28, 2), number(at + 30, 2) + number(at + 32, 2)
        name, start = String(zip[at + 46:at + 45 + name_length]), 1 + number(at + 42, 4)
        body = start + 30 + number(start + 26, 2) + number(start + 28, 2)
        gz = [b"\x1f\x8b\x08\0\0\0\0\0\0\xff"; zip[body:body + size - 1]; zip[at + 16:at + 19]; zip[at + 24:at + 27]]
        npy = read(pipeline(IOBuffer(gz), `gzip -dc`))
        found[name] = npy[11 + npy[9] + 256 * npy[10]:end]  # uint8; bytes 9 and 10: the length of .npy's own header
        at += 46 + name_length + more
    end
    images(name) = reshape(found[name], 28, 28, :)
    return images("x_train.npy"), found["y_train.npy"], images("x_test.npy"), found["y_test.npy"]
end
