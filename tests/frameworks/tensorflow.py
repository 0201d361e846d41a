"""TensorFlow's guide "Writing a training loop from scratch"."""

from tests.frameworks import IMAGES_LAST, LABELS
from tests.frameworks.keras import PLANTS, network  # noqa: F401  the layers are Keras'

PASTED = """
model = make_model(dropout=(0, 0, 0))
train_step = make_train_step(model, make_optimizer())
x, y = tf.random.uniform((8, 32, 32, 3)), tf.random.uniform((8,), 0, 10, tf.int64)
values = [train_step(x, y).numpy() for _ in range(20)]
"""
STEP = """
_step = make_train_step(load_weights(make_model()), make_optimizer())
def step():
    i = next(_order)
    return _step(tf.gather(x_train, i), tf.gather(y_train, i)).numpy()
"""


def bare(parameters):
    import keras
    import tensorflow as tf

    model = network()
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(0.01, 0.9)
    x, y = tf.constant(IMAGES_LAST), tf.constant(LABELS)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        return loss_value

    return lambda: train_step(x, y).numpy()
