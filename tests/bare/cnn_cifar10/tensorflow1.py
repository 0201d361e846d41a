"""TensorFlow 1's tutorial "A guide to TF layers", with the workload's network, its batch fed."""

from tests.bare.cnn_cifar10 import IMAGES_LAST, LABELS


def bare(parameters):
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        features, labels = tf.placeholder(tf.float32, (None, 32, 32, 3)), tf.placeholder(tf.int64, (None,))
        out = features
        for filters in (50, 100):
            out = tf.layers.conv2d(out, filters, 3, padding="same", activation=tf.nn.relu)
            out = tf.layers.conv2d(out, filters, 3, padding="same")
            out = tf.layers.dropout(tf.nn.relu(tf.layers.max_pooling2d(out, 2, 2)), 0.25, training=True)
        out = tf.layers.dense(tf.layers.flatten(out), 512, activation=tf.nn.relu)
        logits = tf.layers.dense(tf.layers.dropout(out, 0.5, training=True), 10)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    session.run(init)
    return lambda: session.run([train_op, loss], {features: IMAGES_LAST, labels: LABELS})[1]
