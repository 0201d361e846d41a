"""TensorFlow's guide "Writing a training loop from scratch", with clipped gradients and a batch on the device."""

from tests.bare.gpt_text import AFTER, BYTES
from tests.bare.gpt_text.keras import adamw, network  # the layers are Keras'


def bare(parameters):
    import keras
    import tensorflow as tf

    model, optimizer = network(parameters), adamw()
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    x, y = tf.constant(BYTES), tf.constant(AFTER)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        grads, _ = tf.clip_by_global_norm(grads, 1.0)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        return loss_value

    return lambda: train_step(x, y).numpy()
