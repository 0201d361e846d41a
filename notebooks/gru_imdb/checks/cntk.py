# %% tags=["check"]
# How the referee reaches into cntk.ipynb: arrays in and out, in the layout of the shared weights.
stock = getattr(C.adam, "stock", C.adam)


def adam(*given, **named):  # CNTK's, which also remembers what the lesson gave it
    adam.given = given, named
    return stock(*given, **named)


adam.stock, C.adam = stock, adam


class EveryStep(C.Trainer):  # each mini-batch ends a sweep, so that schedules move with each step
    def train_minibatch(self, arguments):
        return C.Trainer.train_minibatch(self, arguments, is_sweep_end=True)


class check:
    def tensors(x, y):
        return x.astype(np.float32), y

    def data():
        return (x_train, y_train), (x_test, y_test)

    def parameters():  # {"gru.weight_ih": parameter, ...}
        own = {parameter.name: parameter for parameter in model.parameters}
        names = {"embedding": "embedding", "dense.weight": "W", "dense.bias": "b"}
        names.update({"gru." + name: name for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")})
        return {name: own[given] for name, given in names.items()}

    def shared(name, w):  # CNTK's weights are (in, out), and so is the embedding in both
        return w if name == "embedding" else w.T

    def load(weights):
        for name, own in check.parameters().items():
            own.value = np.ascontiguousarray(check.shared(name, weights[name]))

    def read():
        return {name: check.shared(name, own.value) for name, own in check.parameters().items()}

    def exact():  # CNTK adds epsilon before it corrects Adam's bias, the reference after it: schedules make up for it
        global trainer
        (parameters, rate), named = adam.given
        beta, t = named["variance_momentum"], np.arange(1, 201)
        betas = 1 - (1 - beta) / (1 - beta**t)  # a running mean with these needs no correction
        rates = rate / np.sqrt(1 - betas**t)  # but CNTK corrects it
        named = dict(named, variance_momentum=betas.tolist())
        trainer = EveryStep(model, (loss, error), [stock(parameters, rates.tolist(), **named)])

    def gradients(x, y):  # CNTK gives their sums over the reviews
        given = check.parameters()
        sums = loss.grad({tokens: x, labels: C.Value.one_hot(y, 2)}, wrt=list(given.values()))
        return {name: check.shared(name, sums[own]) / len(x) for name, own in given.items()}

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch(trainer, ((x[i], y[i]) for i in batches))

    def loss(x, y):
        return loss.eval({tokens: x, labels: C.Value.one_hot(y, 2)}).mean()

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)
