# %% tags=["check"]
# TensorFlow 1's lesson as the referee sees it: arrays in and out, weights in the shared layout.
import itertools


def swap(w):  # the gates r, z, n to Keras' z, r, n, and back; they are stacked along the first axis
    one, two, n = np.split(w, 3)
    return np.concatenate([two, one, n])


def shared(arrays):  # of the trainable variables, in their order -> {tensor: array}
    embedding, kernel, recurrent, biases, w, b = arrays
    gru = {"weight_ih": kernel.T, "weight_hh": recurrent.T, "bias_ih": biases[0], "bias_hh": biases[1]}
    named = {"gru." + name: swap(array) for name, array in gru.items()}
    return dict(named, **{"embedding": embedding, "dense.weight": w.T, "dense.bias": b})


class check:
    def tensors(x, y):
        return x, y

    def data():
        return (x_train, y_train), (x_test, y_test)

    def load(weights):
        biases = np.stack([swap(weights["gru.bias_ih"]), swap(weights["gru.bias_hh"])])
        kernels = [swap(weights["gru.weight_ih"]).T, swap(weights["gru.weight_hh"]).T]
        arrays = [weights["embedding"], *kernels, biases, weights["dense.weight"].T, weights["dense.bias"]]
        for variable, w in zip(tf.trainable_variables(), arrays):
            variable.load(w, session)

    def exact():  # TensorFlow's Adam adds epsilon before it corrects the bias, the reference after it
        run, steps = session.run, itertools.count(1)

        def corrected(fetches, feed_dict=None):
            if isinstance(fetches, list) and train_op in fetches:  # another epsilon in each step
                feed_dict = dict(feed_dict)
                feed_dict[optimizer._epsilon_t] = 1e-8 * np.sqrt(1 - 0.999 ** next(steps))
            return run(fetches, feed_dict)

        session.run = corrected

    def read():
        return shared(session.run(tf.trainable_variables()))

    def gradients(x, y):
        found = [tf.convert_to_tensor(g) for g in tf.gradients(loss, tf.trainable_variables())]
        return shared(session.run(found, {tokens: x, labels: y}))

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch((x[i], y[i]) for i in batches)

    def loss(x, y):
        return session.run(loss, {tokens: x, labels: y})

    def predict(x):
        return predict(x)

    def evaluate(x, y):
        return evaluate(x, y)
