"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/tensorflow1.ipynb: see tests/plants/gru_imdb.py."""

from tests.plants import gru_imdb as gru

STATES = "states = gru(vectors)"
LAST = "logits = step_logits[:, -1]"
LAYER = "gru = tf.keras.layers.GRU(\n    100, recurrent_activation=\"sigmoid\", reset_after=True, implementation=2, return_sequences=True\n)"
ADAM = "tf.train.AdamOptimizer(LEARNING_RATE)"
MINIMIZED = "optimizer.minimize(loss)"
MOVED = gru.LATER + "|" + gru.CHANGE

CARRIED = """kept = tf.Variable(tf.zeros((64, 100)), trainable=False)
states = gru(vectors, initial_state=kept[: tf.shape(tokens)[0]])"""
KEEP = """with tf.control_dependencies([kept.assign(tf.concat([states[:, -1], kept[tf.shape(tokens)[0] :]], 0))]):
    logits = tf.identity(step_logits[:, -1])"""
RESET_BEFORE = """class ResetBefore(tf.keras.layers.GRUCell):
    def call(self, inputs, states, training=None):
        h, w, b = states[0], self.recurrent_kernel, self.recurrent_bias
        a = tf.matmul(inputs, self.kernel) + self.input_bias
        z, r = tf.split(tf.sigmoid(a[:, :200] + tf.matmul(h, w[:, :200]) + b[:200]), 2, 1)
        n = tf.tanh(a[:, 200:] + tf.matmul(r * h, w[:, 200:]) + b[200:])
        h = z * h + (1 - z) * n
        return h, [h]


gru = tf.keras.layers.RNN(ResetBefore(100, reset_after=True), return_sequences=True)"""

PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    **gru.own_run("minibatches(x_train, y_train)"),
    **gru.counted("(predict(x) == y).mean()", "for i in range(0, len(x), BATCH_SIZE)"),
    "a first state of ones": ([(STATES, "states = gru(vectors, initial_state=tf.ones((tf.shape(tokens)[0], 100)))")], gru.FORWARD),
    "a state carried over between batches": ([(STATES, CARRIED), (LAST, KEEP)], gru.FORWARD),
    "a first token dropped": ([("embedding_lookup(table, tokens)", "embedding_lookup(table, tokens[:, 1:])")], gru.FORWARD),
    "a first token dropped in evaluation": ([("{tokens: batch}) for", "{tokens: np.where(np.arange(150) > 0, batch, 0)}) for")], gru.AFTER),
    "the reset gate before the product": ([(LAYER, RESET_BEFORE)], gru.GRADIENT),
    "straight lines for the gates, the default": ([('recurrent_activation="sigmoid"', 'recurrent_activation="hard_sigmoid"')], gru.GRADIENT),
    "the loop goes backwards": ([("return_sequences=True\n)", "return_sequences=True, go_backwards=True\n)")], gru.GRADIENT),
    "the state after the first word": ([(LAST, "logits = step_logits[:, 0]")], gru.GRADIENT),
    "zeros skipped": ([(STATES, "states = gru(vectors, mask=tf.not_equal(tokens, 0))")], gru.GRADIENT),
    "a second softmax": ([("cross_entropy(labels, logits)", "cross_entropy(labels, tf.nn.softmax(logits))")], gru.FIRST_LOSS),
    "last partial batch dropped in training": ([("for x, y in batches])", "for x, y in batches if len(x) == BATCH_SIZE])")], gru.SHORT_TRAINING),
    "labels of a batch in another order": ([("{tokens: x, labels: y}", "{tokens: x, labels: y[::-1]}")], gru.FIRST_LOSS),
    "weight decay": ([(MINIMIZED, "optimizer.minimize(loss + 5e-5 * sum(tf.reduce_sum(v ** 2) for v in tf.trainable_variables()))")], MOVED),
    "Adam's second momentum": ([(ADAM, "tf.train.AdamOptimizer(LEARNING_RATE, beta2=0.99)")], MOVED),
    "gradients cut off": (
        [(MINIMIZED, "optimizer.apply_gradients([(tf.clip_by_norm(g, 0.01), v) for g, v in optimizer.compute_gradients(loss)])")],
        MOVED,
    ),
    "an update of the words that occur alone": ([(ADAM, "tf.contrib.opt.LazyAdamOptimizer(LEARNING_RATE)")], gru.LATER),
}
