# %% tags=["check"]
# Lasagne's lesson as the referee sees it: arrays in and out, in the layout of the shared weights.
class _GRU(lasagne.layers.recurrent.GRULayer):
    """Lasagne's, and one more unit whose state is always 1: its weights are the reference's second biases."""

    def __init__(self, incoming, num_units, **named):
        super().__init__(incoming, num_units + 1, **named)

    def get_output_shape_for(self, shapes):
        return (*super().get_output_shape_for(shapes)[:2], self.num_units - 1)

    def get_output_for(self, inputs, **named):
        return super().get_output_for(inputs, **named)[:, :, :-1]


_stock = getattr(lasagne.updates.adam, "stock", lasagne.updates.adam)


def _adam(*given, **named):  # Lasagne's, which adds epsilon before it corrects the bias: see exact
    steps, check.late = theano.shared(np.float32(1)), theano.shared(np.float32(0))
    correction = T.sqrt(1 - 0.999**steps)
    epsilon = 1e-8 * (1 + check.late * (correction - 1))
    updates = _stock(*given, **dict({"epsilon": epsilon}, **named))
    updates[steps] = steps + 1
    return updates


_adam.stock, lasagne.updates.adam, layers.GRULayer = _stock, _adam, _GRU
_gates = {"resetgate": 1, "updategate": -1, "hidden_update": 1}  # u, of the candidate, is 1 - z: sigmoid of -a


def _shared(arrays):  # of the trainable parameters, in their order -> {tensor: array}
    named = {p.name: array for p, array in zip(params, arrays)}

    def stacked(kind, part):
        return np.concatenate([sign * part(named[kind + gate]) for gate, sign in _gates.items()])

    return {
        "embedding": arrays[0],
        "gru.weight_ih": stacked("W_in_to_", lambda w: w[:, :-1].T),
        "gru.weight_hh": stacked("W_hid_to_", lambda w: w[:-1, :-1].T),
        "gru.bias_ih": stacked("b_", lambda w: w[:-1]),
        "gru.bias_hh": stacked("W_hid_to_", lambda w: w[-1, :-1]),
        "dense.weight": arrays[-2].T,
        "dense.bias": arrays[-1],
    }


class check:
    def tensors(x, y):
        return x, y

    def data():
        return (x_train, y_train), (x_test, y_test)

    def load(weights):
        named = {p.name: p for p in layers.get_all_params(gru)}
        w_ih, w_hh, b_ih, b_hh = [
            np.split(weights["gru." + name], 3) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        ]
        for (gate, sign), w, u, b, c in zip(_gates.items(), w_ih, w_hh, b_ih, b_hh):
            named["W_in_to_" + gate].set_value(np.pad(sign * w.T, ((0, 0), (0, 1)), "constant"))
            state = np.concatenate([sign * u.T, sign * c[None]])
            named["W_hid_to_" + gate].set_value(np.pad(state, ((0, 0), (0, 1)), "constant"))
            closed = -1000 if gate == "updategate" else 0  # its update gate is exactly 0
            named["b_" + gate].set_value(np.append(sign * b, np.float32(closed)).astype("float32"))
        named["hid_init"].set_value(np.append(named["hid_init"].get_value()[:, :-1], np.float32([[1]]), axis=1))
        for p, name in zip((params[0], *params[-2:]), ("embedding", "dense.weight", "dense.bias")):
            p.set_value(weights[name] if name == "embedding" else np.ascontiguousarray(weights[name].T))

    def exact():
        check.late.set_value(np.float32(1))

    def read():
        return _shared([p.get_value() for p in params])

    def gradients(x, y):
        return _shared(theano.function([tokens, labels], T.grad(loss, params))(x, y))

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch((x[i], y[i]) for i in batches)

    def loss(x, y):  # the network is the same in training and in evaluation
        return float(loss.eval({tokens: x, labels: y}))

    def predict(x):
        return predict(x)

    def evaluate(x, y):
        return evaluate(x, y)
