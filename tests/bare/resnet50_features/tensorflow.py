"""ResNet-50 in TensorFlow's own functions, without convolution biases, with the strides of Keras; under `tf.function`.

Keras' own ResNet50 has biases; Grappler then leaves convolution and BatchNorm apart, and takes longer.
"""

from tests.bare.resnet50_features import IMAGES


def network(dtype):
    import tensorflow as tf

    def layer(channels, filters, size=1, stride=1):
        kernel = tf.Variable(tf.cast(tf.keras.initializers.HeNormal()((size, size, channels, filters)), dtype))
        gamma, beta = tf.Variable(tf.ones(filters)), tf.Variable(tf.zeros(filters))
        mean, variance = tf.Variable(tf.zeros(filters)), tf.Variable(tf.ones(filters))

        def call(x):
            if size == 7:
                x = tf.pad(x, [[0, 0], [3, 3], [3, 3], [0, 0]])
            x = tf.nn.conv2d(x, kernel, stride, "VALID" if size == 7 else "SAME")
            return tf.compat.v1.nn.fused_batch_norm(x, gamma, beta, mean, variance, is_training=False)[0]

        return call

    def bottleneck(channels, width, stride):
        reduce, conv, expand = layer(channels, width, 1, stride), layer(width, width, 3), layer(width, 4 * width)
        shortcut = layer(channels, 4 * width, 1, stride) if channels != 4 * width else tf.identity
        return lambda x: tf.nn.relu(expand(tf.nn.relu(conv(tf.nn.relu(reduce(x))))) + shortcut(x))

    first, blocks, channels = layer(3, 64, 7, 2), [], 64
    for number, count in enumerate((3, 4, 6, 3)):
        for k in range(count):
            blocks.append(bottleneck(channels, 64 * 2**number, 2 if number and not k else 1))
            channels = 256 * 2**number

    def forward(x):
        x = tf.nn.max_pool2d(tf.nn.relu(first(x)), 3, 2, [[0, 0], [1, 1], [1, 1], [0, 0]])
        for block in blocks:
            x = block(x)
        return tf.reduce_mean(x, [1, 2])

    return forward


def bare(parameters):
    import tensorflow as tf

    dtype = tf.bfloat16 if parameters.get("PRECISION") == "bf16" else tf.float32  # of kernels and images
    net = tf.function(network(dtype))
    images = tf.cast(IMAGES.transpose(0, 2, 3, 1), dtype)
    return lambda: net(images).numpy()
