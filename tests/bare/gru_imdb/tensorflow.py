"""TensorFlow's guide "Writing a training loop from scratch", with a dense gradient of the embedding."""

from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    import keras
    import tensorflow as tf
    from keras import layers

    compiled = parameters.get("JIT_COMPILE", False)
    model = keras.Sequential(
        [
            keras.Input((150,), dtype="int32"),
            layers.Embedding(30000, 125),
            layers.GRU(100, use_cudnn=False if compiled else "auto"),
            layers.Dense(2),
        ]
    )
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(0.001, epsilon=1e-8)
    optimizer.build(model.trainable_weights)
    x, y = tf.constant(TOKENS, tf.int32), tf.constant(LABELS)

    @tf.function(jit_compile=compiled)
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply([tf.convert_to_tensor(g) for g in grads], model.trainable_weights)
        return loss_value

    return lambda: train_step(x, y).numpy()
