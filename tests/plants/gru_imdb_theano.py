"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/theano.ipynb: see tests/plants/gru_imdb.py."""

from tests.plants import gru_imdb as gru

START = "start = T.zeros((vectors.shape[1], 100))"
PARAMS = "        self.params = [self.w_ih,"
STATES = "strict=True)\n        return states"
UPDATES = "updates=adam(loss, model.params)"
NEW = "(p, new_p)]"
MOVED = gru.LATER + "|" + gru.CHANGE

PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    gru.HALF: ([("train_epoch(minibatches(len(data.x_train)))", "train_epoch(minibatches(len(data.x_train))[::2])")], gru.STEPS),
    gru.THREE_POINTS: ([("train_accuracy, test_accuracy))", "train_accuracy, test_accuracy + 0.03))")], gru.COUNT),
    "the accuracy of the first 100 samples": ([("np.mean(predict(reviews) == labels)", "np.mean(predict(reviews[:100]) == labels[:100])")], gru.SHARE),
    "last partial batch dropped in predict": (
        [("for k in range(0, len(reviews), BATCH_SIZE)]", "for k in range(0, len(reviews) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)]")],
        gru.SHORT_PREDICTION,
    ),
    "a first state of ones": ([(START, START.replace("zeros", "ones"))], gru.FORWARD),
    "a state carried over between batches": (
        [
            (PARAMS, "        self.kept = theano.shared(np.zeros((1, 100), 'float32'))\n" + PARAMS),
            (START, "start = T.repeat(self.kept, vectors.shape[1], axis=0)"),
            (STATES, STATES.replace("return", "self.last = states[-1][-1:]\n        return")),
            (UPDATES, UPDATES + " + [(model.gru.kept, model.gru.last)]"),
        ],
        gru.FORWARD,
    ),
    "a first token dropped": ([("self.embedding[x.T]", "self.embedding[x.T[1:]]")], gru.FORWARD),
    "a first token dropped in evaluation": ([("classify(batch) for", "classify(np.where(np.arange(150) > 0, batch, 0)) for")], gru.AFTER),
    "the reset gate before the product": (
        [("T.tanh(a[:, 200:] + r * b[:, 200:])", "T.tanh(a[:, 200:] + (r * h).dot(w_hh[:, 200:]) + b_hh[200:])")],
        gru.GRADIENT,
    ),
    "gates r and z swapped": ([("r, z = rz[:, :100], rz[:, 100:]", "z, r = rz[:, :100], rz[:, 100:]")], gru.GRADIENT),
    "the update gate's share turned around": ([("return (1 - z) * n + z * h", "return z * n + (1 - z) * h")], gru.GRADIENT),
    "the loop goes backwards": ([("strict=True)", "strict=True, go_backwards=True)")], gru.GRADIENT),
    "gradients cut off after five words": ([("strict=True)", "strict=True, truncate_gradient=5)")], gru.GRADIENT),
    "the state after the first word": ([("self.states(x)[-1]", "self.states(x)[0]")], gru.GRADIENT),
    "a second softmax": ([("T.nnet.softmax(logits), y)", "T.nnet.softmax(T.nnet.softmax(logits)), y)")], gru.FIRST_LOSS),
    "last partial batch dropped in training": ([("for i in batches])", "for i in batches if len(i) == BATCH_SIZE])")], gru.SHORT_TRAINING),
    "labels of a batch in another order": ([("y: y_train[i]}", "y: y_train[i][::-1]}")], gru.FIRST_LOSS),
    "weight decay": ([("T.grad(loss, params)):", "T.grad(loss + 5e-5 * sum((p**2).sum() for p in params), params)):")], MOVED),
    "Adam's second momentum": ([("beta2=0.999", "beta2=0.99")], MOVED),
    "Adam's epsilon before the correction": ([("(root + epsilon)", "(root + epsilon / T.sqrt(1 - beta2**t))")], MOVED),
    "Adam's update one step ahead": ([("t = steps + 1\n", "t = steps + 2\n"), ("(steps, t)", "(steps, t - 1)")], MOVED),
    "an update of the words that occur alone": (
        [(NEW, NEW.replace("new_p", "T.switch(T.neq(abs(grad).sum(1, keepdims=True), 0), new_p, p) if p.name == 'embedding' else new_p"))],
        gru.LATER,
    ),
}
