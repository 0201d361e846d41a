# How the referee reaches into julia.ipynb: arrays in and out. NumPy's (30, 784) is 784 x 30 here, digits are 28 x 28 x N.
check = let
    classes(y) = y isa AbstractMatrix ? [argmax(column) - 1 for column in eachcol(y)] : y  # of targets or of labels
    targets(y) = y isa AbstractMatrix ? y : one_hot(y)
    function images(x)  # 0..1 -> bytes; what was no byte stays as it is, to be seen
        values = reshape(x .* 255, 28, 28, :)
        bytes = round.(values)
        return maximum(abs.(values .- bytes)) < 1e-9 && all(0 .<= bytes .<= 255) ? UInt8.(bytes) : values
    end
    shared(network) = Dict(
        "hidden.weight" => permutedims(network.W1), "hidden.bias" => copy(network.b1),
        "output.weight" => permutedims(network.W2), "output.bias" => copy(network.b2),
    )
    (
        tensors = (x, y) -> (to_inputs(x), one_hot(y)),
        data = () -> ((images(x_train), classes(y_train)), (images(x_test), classes(y_test))),
        load = function (weights)
            model.W1, model.b1 = permutedims(weights["hidden.weight"]), copy(weights["hidden.bias"])
            model.W2, model.b2 = permutedims(weights["output.weight"]), copy(weights["output.bias"])
            return nothing
        end,
        read = () -> shared(model),
        gradients = (x, y) -> shared(gradients!(form, model, x, y, 1:size(x, 2))[2]),
        train = (x, y, order) -> train_epoch!(form, model, optimizer, x, y, order .+ 1),
        loss = (x, y) -> loss_fn(forward(model, x)[2], targets(y)),
        predict = x -> predict(model, x),
        evaluate = (x, y) -> evaluate(model, x, classes(y)),
        peak_memory = () -> Int(Sys.maxrss()),
        allocations = function ()  # of an epoch; a first step compiles
            trial, order = deepcopy(model), collect(1:size(x_train, 2))
            train_epoch!(form, trial, optimizer, x_train, y_train, order[1:2])
            counted = @timed train_epoch!(form, trial, optimizer, x_train, y_train, order)
            return Base.gc_alloc_count(counted.gcstats), counted.bytes
        end,
        profile = function ()  # the lesson's own shares, of an epoch
            shares = profile(form, x_train, y_train, 1:size(x_train, 2))
            trial, order = deepcopy(model), 1:size(x_train, 2)
            ms = 1000 * @elapsed train_epoch!(form, trial, optimizer, x_train, y_train, order)
            return Dict(kind => ms * share / 100 for ((kind, _), share) in zip(KINDS, shares))
        end,
    )
end
