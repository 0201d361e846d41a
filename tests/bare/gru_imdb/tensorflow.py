"""TensorFlow's guide "Writing a training loop from scratch", with Adam's fused operation and a batch on the device."""

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
    weights = [v.value for v in model.trainable_variables]
    means, squares = [[tf.Variable(tf.zeros_like(w)) for w in weights] for _ in range(2)]
    powers = [tf.Variable(0.9), tf.Variable(0.999)]
    x, y = tf.constant(TOKENS, tf.int32), tf.constant(LABELS)

    @tf.function(jit_compile=compiled)
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, weights)
        for w, m, v, g in zip(weights, means, squares, grads, strict=True):
            tf.raw_ops.ResourceApplyAdam(
                var=w.handle,
                m=m.handle,
                v=v.handle,
                beta1_power=powers[0],
                beta2_power=powers[1],
                lr=0.001,
                beta1=0.9,
                beta2=0.999,
                epsilon=1e-8,
                grad=tf.convert_to_tensor(g),
            )
        powers[0].assign(powers[0] * 0.9)
        powers[1].assign(powers[1] * 0.999)
        return loss_value

    return lambda: train_step(x, y).numpy()
