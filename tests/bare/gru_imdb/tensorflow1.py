"""TensorFlow 1's guide "Introduction" (a graph, a session, a fed batch), with Keras' layers and a dense gradient."""

from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    import tensorflow as tf

    layers, graph = tf.keras.layers, tf.Graph()
    with graph.as_default():
        tokens, labels = tf.placeholder(tf.int32, (None, 150)), tf.placeholder(tf.int64, (None,))
        words = layers.Embedding(30000, 125)(tokens)
        state = layers.GRU(100, recurrent_activation="sigmoid", reset_after=True, implementation=2)(words)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, layers.Dense(2)(state))
        optimizer = tf.train.AdamOptimizer(0.001)
        gradients = [(tf.convert_to_tensor(g), v) for g, v in optimizer.compute_gradients(loss)]
        train_op = optimizer.apply_gradients(gradients)
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    session.run(init)
    return lambda: session.run([train_op, loss], {tokens: TOKENS, labels: LABELS})[1]
