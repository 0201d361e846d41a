"""TensorFlow 1's tutorial "A guide to TF layers", with the workload's network, its batch fed."""

from tests.bare.cnn_mnist import IMAGES_LAST, LABELS


def bare(parameters):
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        features, labels = tf.placeholder(tf.float32, (None, 28, 28, 1)), tf.placeholder(tf.int64, (None,))
        out = features
        for filters in (16, 8):
            out = tf.layers.conv2d(out, filters, 2)
            out = tf.nn.relu(tf.layers.max_pooling2d(out, 2, 2))
        logits = tf.layers.dense(tf.layers.flatten(out), 10)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.AdamOptimizer(0.001).minimize(loss)
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph, config=tf.ConfigProto(inter_op_parallelism_threads=1))
    session.run(init)
    return lambda: session.run([train_op, loss], {features: IMAGES_LAST, labels: LABELS})[1]
