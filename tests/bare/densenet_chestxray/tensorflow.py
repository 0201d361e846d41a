"""TensorFlow's guide "Writing a training loop from scratch" with Keras Applications' DenseNet121."""

from tests.bare.densenet_chestxray import FINDINGS, IMAGES_LAST
from tests.bare.densenet_chestxray.keras import network  # the layers are Keras'


def bare(parameters):
    import keras
    import tensorflow as tf

    model = network()
    loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(0.0003)
    optimizer.build(model.trainable_weights)
    x, y = tf.constant(IMAGES_LAST), tf.constant(FINDINGS)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        return loss_value

    return lambda: train_step(x, y).numpy()
