# %% tags=["check"]
"""The adapters through which the referee sees tensorflow.ipynb."""

import numpy as np


class check:
    names = "embedding gru.weight_ih gru.weight_hh gru.bias_ih gru.bias_hh dense.weight dense.bias".split()

    def swap(w):  # the gates r, z, n to z, r, n, and back; they are stacked along the first axis
        return np.concatenate([w[100:200], w[:100], w[200:]])

    def tensors(x, y):
        return tf.constant(x), tf.constant(y)

    def data():
        return (x_train.numpy(), y_train.numpy()), (x_test.numpy(), y_test.numpy())

    def shared(arrays):
        table, kernel, recurrent, biases, dense, bias = [np.array(w) for w in arrays]
        gru = [check.swap(w) for w in (kernel.T, recurrent.T, *biases)]
        return dict(zip(check.names, [table, *gru, dense.T, bias]))

    def load(weights):
        table, *gru, dense, bias = [weights[name] for name in check.names]
        w_ih, w_hh, b_ih, b_hh = [check.swap(w) for w in gru]
        model.set_weights([table, w_ih.T, w_hh.T, np.stack([b_ih, b_hh]), dense.T, bias])

    def read():
        return check.shared(model.get_weights())

    def exact():  # Keras adds an epsilon of 1e-7 before it corrects Adam's bias, the reference 1e-8 after it
        apply = optimizer.apply

        def corrected(grads, variables):
            step = tf.cast(optimizer.iterations + 1, tf.float32)
            optimizer.epsilon = 1e-8 * tf.sqrt(1 - 0.999**step)
            apply([tf.convert_to_tensor(g) for g in grads], variables)  # dense: the sum of a word's rows

        optimizer.apply = corrected

    def gradients(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss, model.trainable_variables)
        return check.shared([tf.convert_to_tensor(g) for g in grads])

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch(model, optimizer, ((tf.gather(x, i), tf.gather(y, i)) for i in batches))

    def loss(x, y):
        return loss_fn(y, model(x, training=False)).numpy()

    def predict(x):
        return predict(model, x).numpy()

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():
        tf.test.experimental.sync_devices()

    def peak_memory():
        gpus = tf.config.list_logical_devices("GPU")
        return tf.config.experimental.get_memory_info("GPU:0")["peak"] if gpus else None
