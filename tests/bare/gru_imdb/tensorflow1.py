"""TensorFlow 1's guide "Introduction" (a graph, a session, a fed batch), with an own cell and a dense gradient."""

from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    import tensorflow as tf

    class Cell(tf.nn.rnn_cell.RNNCell):
        state_size = output_size = 100

        def build(self, shape):
            self.kernel = self.add_weight("kernel", (100, 300))
            self.bias = self.add_weight("bias", (300,), initializer=tf.zeros_initializer())
            super().build(shape)

        def call(self, a, h):
            b = tf.nn.bias_add(tf.matmul(h, self.kernel), self.bias)
            (a_rz, a_n), (b_rz, b_n) = tf.split(a, [200, 100], axis=1), tf.split(b, [200, 100], axis=1)
            r, z = tf.split(tf.sigmoid(a_rz + b_rz), 2, axis=1)
            n = tf.tanh(a_n + r * b_n)
            h = n + z * (h - n)
            return h, h

    tf.enable_resource_variables()
    graph = tf.Graph()
    with graph.as_default():
        tokens, labels = tf.placeholder(tf.int32, (None, 150)), tf.placeholder(tf.int64, (None,))
        vectors = tf.nn.embedding_lookup(tf.get_variable("embedding", (30000, 125)), tf.transpose(tokens))
        words = tf.layers.dense(vectors, 300)
        _, state = tf.nn.dynamic_rnn(Cell(), words, dtype=tf.float32, time_major=True)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(state, 2))
        optimizer = tf.train.AdamOptimizer(0.001)
        gradients = [(tf.convert_to_tensor(g), v) for g, v in optimizer.compute_gradients(loss)]
        train_op = optimizer.apply_gradients(gradients)
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    session.run(init)
    return lambda: session.run([train_op, loss], {tokens: TOKENS, labels: LABELS})[1]
