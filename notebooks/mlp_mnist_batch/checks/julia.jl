# How the referee reaches into julia.ipynb: arrays in and out. NumPy's (32, 784) is 784 x 32 here, digits are 28 x 28 x N.
check = let
    function images(x)  # 0..1 -> bytes; what was no byte stays as it is, to be seen
        values = reshape(x .* 255, 28, 28, :)
        bytes = round.(values)
        return maximum(abs.(values .- bytes)) < 1e-3 && all(0 .<= bytes .<= 255) ? UInt8.(bytes) : values
    end
    shared(network) = Dict(
        "hidden.weight" => permutedims(network.W1), "hidden.bias" => copy(network.b1),
        "output.weight" => permutedims(network.W2), "output.bias" => copy(network.b2),
    )
    (
        tensors = (x, y) -> (to_inputs(x), y),
        data = () -> ((images(x_train), y_train), (images(x_test), y_test)),
        load = function (weights)
            model.W1 .= permutedims(weights["hidden.weight"])
            model.W2 .= permutedims(weights["output.weight"])
            model.b1 .= weights["hidden.bias"]
            model.b2 .= weights["output.bias"]
            return nothing
        end,
        read = () -> shared(model),
        gradients = function (x, y)
            hidden, logits = forward(model, x)
            return shared(backward(model, x, hidden, loss_fn(logits, y)[2]))
        end,
        train = function (x, y, order)  # a step takes all digits, in whatever order
            part = length(order) < size(x, 2)
            return part ? train_step!(model, optimizer, x[:, order .+ 1], y[order .+ 1]) : train_step!(model, optimizer, x, y)
        end,
        loss = (x, y) -> loss_fn(forward(model, x)[2], y)[1],
        predict = x -> predict(model, x),
        evaluate = (x, y) -> evaluate(model, x, y),
        peak_memory = () -> Int(Sys.maxrss()),
    )
end
