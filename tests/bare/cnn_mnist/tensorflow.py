"""TensorFlow's guide "Writing a training loop from scratch", with data that is on the device already."""

from tests.bare.cnn_mnist import IMAGES_LAST, LABELS
from tests.bare.cnn_mnist.keras import network  # the layers are Keras'


def bare(parameters):
    import keras
    import tensorflow as tf

    model = network()
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(0.001)
    x, y = tf.constant(IMAGES_LAST), tf.constant(LABELS)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        return loss_value

    return lambda: train_step(x, y).numpy()
