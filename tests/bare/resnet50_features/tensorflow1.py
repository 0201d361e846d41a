"""TF-Slim's ResNet v1 without convolution biases, but with the strides and paddings of Keras; its batch fed."""

from tests.bare.resnet50_features import BATCH, IMAGES


def network(tf):
    """A function of images (32, 224, 224, 3), which a session runs."""
    from tensorflow.contrib import slim
    from tensorflow.contrib.slim.python.slim.nets import resnet_utils, resnet_v1

    graph = tf.Graph()
    with graph.as_default(), slim.arg_scope(resnet_utils.resnet_arg_scope()):
        with slim.arg_scope([slim.batch_norm], is_training=False):
            inputs = tf.placeholder(tf.float32, (BATCH, 224, 224, 3))
            net = resnet_utils.conv2d_same(inputs, 64, 7, stride=2, scope="conv1")
            net = tf.pad(net, [[0, 0], [1, 1], [1, 1], [0, 0]])  # "SAME" is another pooling
            net = slim.max_pool2d(net, 3, stride=2, padding="VALID", scope="pool1")
            for number, units in enumerate((3, 4, 6, 3)):
                width = 64 * 2**number
                if number:  # Keras' place for the stride: Slim's has less to compute
                    net = resnet_utils.subsample(net, 2)
                for k in range(units):
                    net = resnet_v1.bottleneck(net, 4 * width, width, 1, scope="unit{}_{}".format(number, k))
            features = tf.reduce_mean(net, [1, 2])
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    session.run(init)
    return lambda images: session.run(features, {inputs: images})


def bare(parameters):
    import tensorflow as tf

    infer, images = network(tf), IMAGES.transpose(0, 2, 3, 1).copy()
    return lambda: infer(images)
