"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/numpy.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import gru_imdb as gru

ORDER = "y_train, rng.permutation(len(x_train)))"
START = "        h = np.zeros((words.shape[1], len(w_h)), words.dtype)\n"
CARRIED = """        h = np.zeros((64, len(w_h)), words.dtype)
        if "states" in vars(self):
            h[: len(self.states[-1])] = self.states[-1]
        h = h[: words.shape[1]]
"""
UPDATE = "                    p -= rate * mean / (np.sqrt(square) / root + self.epsilon)\n"

PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    **gru.counted("np.mean(predict(model, x) == y)", "for k in range(0, len(x), BATCH_SIZE)"),
    gru.HALF: ([(ORDER, ORDER[:-1] + "[::2])")], gru.STEPS),
    gru.LABELS: ([("train_epoch(model, optimizer, x_train, y_train, rng", "train_epoch(model, optimizer, x_train, np.roll(y_train, 7), rng")], gru.LEARNED),
    gru.THREE_POINTS: ([("history.append((losses, train_accuracy, test_accuracy))", "history.append((losses, train_accuracy, test_accuracy + 0.03))")], gru.COUNT),
    "a first state of ones": ([("h = np.zeros((words", "h = np.ones((words")], gru.FORWARD),
    "a state carried over between batches": ([(START, CARRIED)], gru.FORWARD),
    "a first token dropped": ([("self.x = x.T\n", "self.x = x.T[1:]\n")], gru.FORWARD),
    "the gates in another order": ([("r, z = np.split(", "z, r = np.split(")], gru.GRADIENT),
    "the reset gate before the product": ([("np.tanh(a[:, 2 * units :] + r * m)", "np.tanh(a[:, 2 * units :] + (r * h) @ w_h[:, 2 * units :] + b_h[2 * units :])")], gru.GRADIENT),
    "the update gate turned round": ([("return (1 - z) * n + z * h", "return z * n + (1 - z) * h")], gru.GRADIENT),
    "the state's share of the candidate without its bias": ([("    b = h @ w_h + b_h", "    b = h @ w_h + b_h * (np.arange(3 * units) < 2 * units)")], gru.GRADIENT),
    "no gradient through the update gate": ([("grad = grad * z + of_states", "grad = of_states")], gru.GRADIENT),
    "the words' gradient in the place of the state's": ([("[grad_r, grad_z, grad_n * r]", "[grad_r, grad_z, grad_n]")], gru.GRADIENT),
    "each token counted once in the embedding's gradient": ([("np.add.reduceat(grad.reshape(len(order), -1)[order], first)", "grad.reshape(len(order), -1)[order][first]")], gru.GRADIENT),
    "last partial batch dropped in training": ([("for i in batches]", "for i in batches if len(i) == BATCH_SIZE]")], gru.SHORT_TRAINING),
    "labels of a batch in another order": ([("train_step(model, optimizer, x[i], y[i])", "train_step(model, optimizer, x[i], y[i][::-1])")], gru.FIRST_LOSS),
    "one update in ten left out": ([(UPDATE, "    " + UPDATE.replace("p -=", "p -= (np.random.rand() > 0.1) *")[4:])], gru.LATER),
    "epsilon in the root's correction": ([("(np.sqrt(square) / root + self.epsilon)", "((np.sqrt(square) + self.epsilon) / root)")], gru.LATER + "|" + gru.CHANGE),
    "Adam's second momentum": ([("betas=(0.9, 0.999)", "betas=(0.9, 0.99)")], gru.LATER + "|" + gru.CHANGE),
    "weight decay": ([("mean += (1 - one) * (grad - mean)", "mean += (1 - one) * (grad + 1e-4 * p - mean)")], gru.LATER + "|" + gru.CHANGE),
    "an update of the words that occur alone": ([(UPDATE, UPDATE.replace("p -= ", "p -= (grad != 0) * "))], gru.LATER),
}
