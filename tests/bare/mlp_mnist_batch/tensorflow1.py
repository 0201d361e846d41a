"""TensorFlow 1's tutorial "A guide to TF layers", with the workload's network, its digits fed."""

from tests.bare.mlp_mnist_batch import DIGITS, LABELS


def bare(parameters):
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        features, labels = tf.placeholder(tf.float32, (None, 784)), tf.placeholder(tf.int64, (None,))
        logits = tf.layers.dense(tf.layers.dense(features, 32, activation=tf.nn.relu), 10)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.AdamOptimizer(0.001).minimize(loss)
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph, config=tf.ConfigProto(inter_op_parallelism_threads=1))
    session.run(init)
    return lambda: session.run([train_op, loss], {features: DIGITS, labels: LABELS})[1]
