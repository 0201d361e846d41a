"""A random mini-batch of 32 sequences of 128 bytes, and what each framework's tutorials make of the workload."""

import logging
import math
import os
import warnings

import numpy as np

BATCH = 32
TEXT = np.random.RandomState(0).randint(0, 256, (BATCH, 129)).astype(np.int32)
BYTES, AFTER = np.ascontiguousarray(TEXT[:, :-1]), np.ascontiguousarray(TEXT[:, 1:])  # and the byte after each


def equinox(parameters):
    """Equinox' example "BERT", with its own attention, and the step as its page on filter_jit has it: donated buffers.

    As in the notebook the losses are read once, behind ten steps. bf16: a copy of the model computes.
    """
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import jax.random as jr
    import optax

    dtype = jnp.bfloat16 if parameters.get("PRECISION") == "bf16" else jnp.float32  # in which the model computes
    biases = dict(use_query_bias=True, use_key_bias=True, use_value_bias=True, use_output_bias=True)

    class TransformerLayer(eqx.Module):
        layernorms: list
        attention: eqx.nn.MultiheadAttention
        mlp: list
        dropout: eqx.nn.Dropout

        def __init__(self, key):
            keys = jr.split(key, 3)
            self.layernorms = [eqx.nn.LayerNorm(128) for _ in range(2)]
            self.attention = eqx.nn.MultiheadAttention(4, 128, dropout_p=0.1, key=keys[0], **biases)
            self.mlp = [eqx.nn.Linear(128, 512, key=keys[1]), eqx.nn.Linear(512, 128, key=keys[2])]
            self.dropout = eqx.nn.Dropout(0.1)

        def __call__(self, x, mask, key):
            keys, (up, down) = jr.split(key, 3), self.mlp
            read = jax.vmap(self.layernorms[0])(x)
            x = x + self.dropout(self.attention(read, read, read, mask, key=keys[0]), key=keys[1])
            hidden = jax.nn.gelu(jax.vmap(up)(jax.vmap(self.layernorms[1])(x)))
            return x + self.dropout(jax.vmap(down)(hidden), key=keys[2])

    class GPT(eqx.Module):
        token_embedder: eqx.nn.Embedding
        position_embedder: eqx.nn.Embedding
        layers: list
        layernorm: eqx.nn.LayerNorm
        dropout: eqx.nn.Dropout

        def __init__(self, key):
            keys = jr.split(key, 6)
            self.token_embedder = eqx.nn.Embedding(weight=0.02 * jr.normal(keys[0], (256, 128)))
            self.position_embedder = eqx.nn.Embedding(weight=0.02 * jr.normal(keys[1], (128, 128)))
            self.layers = [TransformerLayer(k) for k in keys[2:]]
            self.layernorm, self.dropout = eqx.nn.LayerNorm(128), eqx.nn.Dropout(0.1)

        def __call__(self, tokens, key):
            keys, mask = jr.split(key, 5), jnp.tril(jnp.ones((128, 128), bool))
            x = jax.vmap(self.token_embedder)(tokens) + self.position_embedder.weight
            x = self.dropout(x, key=keys[4])
            for layer, k in zip(self.layers, keys[:4]):
                x = layer(x, mask, k)
            return jax.vmap(self.layernorm)(x) @ self.token_embedder.weight.T

    @eqx.filter_value_and_grad
    def compute_loss(model, x, y, key):
        model = jax.tree.map(lambda leaf: leaf.astype(dtype) if eqx.is_inexact_array(leaf) else leaf, model)
        logits = jax.vmap(model)(x, jr.split(key, BATCH)).astype(jnp.float32)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    @eqx.filter_jit(donate="all-except-first")
    def make_step(batch, model, opt_state, key):
        key, step_key = jr.split(key)
        loss, grads = compute_loss(model, *batch, step_key)
        updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_inexact_array))
        return eqx.apply_updates(model, updates), opt_state, key, loss

    def decay_mask(params):
        return jax.tree.map(lambda p: p.ndim > 1, params)

    schedule = optax.warmup_cosine_decay_schedule(0, 0.003, 100, 1000)
    adamw = optax.adamw(schedule, b1=0.9, b2=0.95, weight_decay=0.1, mask=decay_mask)
    optim = optax.chain(optax.clip_by_global_norm(1.0), adamw)
    model = GPT(jr.key(0))
    state = [model, optim.init(eqx.filter(model, eqx.is_inexact_array)), jr.key(1)]
    batch = jnp.asarray(BYTES), jnp.asarray(AFTER)

    def step():
        nonlocal state
        losses = []
        for _ in range(10):
            *state, loss = make_step(batch, *state)
            losses.append(loss)
        return jax.device_get(losses)

    step.batches = 10
    return step


def jax(parameters):
    """JAX's tutorial "Train a miniGPT language model"; donated buffers and a cached traversal as Flax's guide has them.

    As in the notebook the losses are read once, behind ten steps.
    """
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    dtype = jnp.bfloat16 if parameters.get("PRECISION") == "bf16" else jnp.float32  # in which layers compute

    class TransformerBlock(nnx.Module):
        def __init__(self, rngs):
            options = {"dtype": dtype, "rngs": rngs}
            self.mha = nnx.MultiHeadAttention(
                4, 128, dropout_rate=0.1, broadcast_dropout=False, deterministic=False, decode=False, **options
            )
            self.linear1, self.linear2 = nnx.Linear(128, 512, **options), nnx.Linear(512, 128, **options)
            self.norm1, self.norm2 = nnx.LayerNorm(128, rngs=rngs), nnx.LayerNorm(128, rngs=rngs)
            self.dropout1, self.dropout2 = nnx.Dropout(0.1, rngs=rngs), nnx.Dropout(0.1, rngs=rngs)

        def __call__(self, x, mask):
            x = x + self.dropout1(self.mha(self.norm1(x), mask=mask))
            return x + self.dropout2(self.linear2(nnx.gelu(self.linear1(self.norm2(x)))))

    class MiniGPT(nnx.Module):
        def __init__(self, rngs):
            small = nnx.initializers.normal(0.02)
            self.token_emb = nnx.Embed(256, 128, embedding_init=small, rngs=rngs)
            self.pos_emb = nnx.Embed(128, 128, embedding_init=small, rngs=rngs)
            self.dropout, self.norm = nnx.Dropout(0.1, rngs=rngs), nnx.LayerNorm(128, rngs=rngs)
            self.blocks = nnx.List([TransformerBlock(rngs) for _ in range(4)])

        def __call__(self, x):
            mask = nnx.make_causal_mask(x)
            h = self.dropout(self.token_emb(x) + self.pos_emb(jnp.arange(x.shape[1])))
            for block in self.blocks:
                h = block(h, mask)
            return self.token_emb.attend(self.norm(h))

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    def matrices(params):
        return nnx.map_state(lambda path, _: path[-1] in ("kernel", "embedding"), params)

    schedule = optax.warmup_cosine_decay_schedule(0, 0.003, 100, 1000)
    adamw = optax.adamw(schedule, b1=0.9, b2=0.95, weight_decay=0.1, mask=matrices)
    model = MiniGPT(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.chain(optax.clip_by_global_norm(1.0), adamw), wrt=nnx.Param)
    cached_train_step = nnx.cached_partial(train_step, model, optimizer)
    x, y = jnp.asarray(BYTES), jnp.asarray(AFTER)

    def step():
        return jax.device_get([cached_train_step(x, y) for _ in range(10)])

    step.batches = 10
    return step


def keras_network(parameters):
    import keras
    from keras import layers

    keras.config.set_dtype_policy("mixed_bfloat16" if parameters.get("PRECISION") == "bf16" else "float32")

    class Positions(layers.Layer):
        def build(self, shape):
            self.table = self.add_weight((128, 128), "random_normal", name="positions")

        def call(self, x):
            return x + self.table

    tokens = layers.ReversibleEmbedding(256, 128, embeddings_initializer="random_normal")
    inputs = keras.Input((128,), dtype="int32")
    x = layers.Dropout(0.1)(Positions()(tokens(inputs)))
    for _ in range(4):
        read = layers.LayerNormalization(epsilon=1e-5)(x)
        mixed = layers.MultiHeadAttention(4, 32, dropout=0.1)(read, read, use_causal_mask=True)
        x = layers.add([x, layers.Dropout(0.1)(mixed)])
        read = layers.LayerNormalization(epsilon=1e-5)(x)
        gelu = keras.activations.gelu
        hidden = layers.Dense(512, activation=lambda a: gelu(a, approximate=True))(read)
        x = layers.add([x, layers.Dropout(0.1)(layers.Dense(128)(hidden))])
    return keras.Model(inputs, tokens(layers.LayerNormalization(epsilon=1e-5)(x), reverse=True))


def keras_adamw(**clipping):
    import keras

    schedule = keras.optimizers.schedules.CosineDecay(0.0, 900, warmup_target=0.003, warmup_steps=100)
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.1, beta_2=0.95, **clipping)
    optimizer.exclude_from_weight_decay(var_names=["bias", "beta", "gamma"])
    return optimizer


def keras(parameters):
    """Keras' example "Text generation with a miniature GPT": `fit` on arrays; a step is a fit of 10 batches."""
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras

    model = keras_network(parameters)
    model.compile(
        optimizer=keras_adamw(global_clipnorm=1.0),
        jit_compile=parameters.get("JIT_COMPILE", "auto"),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    x, y = np.tile(BYTES, (10, 1)), np.tile(AFTER, (10, 1))

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 10
    return step


def lightning(parameters):
    """Lightning's guide "Lightning in 15 minutes", with clipping and a schedule by step; a step is a fit of 10 batches.

    bf16: Lightning clips no gradients for a fused optimizer in mixed precision.
    """
    import lightning as L
    import torch
    import torch.nn.functional as F

    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module="lightning")
    bf16 = parameters.get("PRECISION") == "bf16"

    class LitGPT(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = torch_network()  # it is PyTorch's

        def training_step(self, batch, batch_idx):
            x, y = batch
            return F.cross_entropy(self.net(x).view(-1, 256), y.view(-1))

        def configure_optimizers(self):
            optimizer, scheduler = torch_adamw(self, fused=not bf16)
            return [optimizer], [{"scheduler": scheduler, "interval": "step"}]

    model = LitGPT()
    trainer = L.Trainer(
        accelerator="cpu", devices=1, precision="bf16-mixed" if bf16 else "32-true", max_epochs=0,
        gradient_clip_val=1.0, logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False,
    )
    batch = torch.from_numpy(BYTES).long(), torch.from_numpy(AFTER).long()
    batches = torch.utils.data.DataLoader([batch] * 10, batch_size=None)

    def step():
        trainer.fit_loop.max_epochs += 1  # the same model goes on
        trainer.fit(model, batches)

    step.batches = 10
    return step


def paddle(parameters):
    """PaddleNLP's GPT, with Paddle's scaled_dot_product_attention, in the eager loop of Paddle's guide on training."""
    import paddle
    import paddle.nn.functional as F
    from paddle import nn

    class SelfAttention(nn.Layer):
        def __init__(self):
            super().__init__()
            self.qkv_proj, self.out_proj = nn.Linear(128, 3 * 128), nn.Linear(128, 128)

        def forward(self, x):
            q, k, v = self.qkv_proj(x).reshape([0, 0, 12, 32]).split(3, axis=2)
            out = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1, is_causal=True)
            return self.out_proj(out.reshape([0, 0, 128]))

    class DecoderLayer(nn.Layer):
        def __init__(self):
            super().__init__()
            gelu = nn.GELU(approximate=True)
            self.attn = nn.Sequential(nn.LayerNorm(128), SelfAttention(), nn.Dropout(0.1))
            self.ffn = nn.Sequential(
                nn.LayerNorm(128), nn.Linear(128, 512), gelu, nn.Linear(512, 128), nn.Dropout(0.1)
            )

        def forward(self, x):
            x = x + self.attn(x)
            return x + self.ffn(x)

    class GPT(nn.Layer):
        def __init__(self):
            super().__init__()
            small = nn.initializer.Normal(std=0.02)
            self.word_embeddings = nn.Embedding(256, 128, weight_attr=small)
            self.position_embeddings = nn.Embedding(128, 128, weight_attr=small)
            self.decoder = nn.Sequential(nn.Dropout(0.1), *[DecoderLayer() for _ in range(4)], nn.LayerNorm(128))

        def forward(self, x):
            h = self.word_embeddings(x) + self.position_embeddings(paddle.arange(128))
            return paddle.matmul(self.decoder(h), self.word_embeddings.weight, transpose_y=True)

    model, criterion = GPT(), nn.CrossEntropyLoss()
    decay = [p.name for p in model.parameters() if p.ndim > 1]
    cosine = paddle.optimizer.lr.CosineAnnealingDecay(0.003, 1000)
    scheduler = paddle.optimizer.lr.LinearWarmup(cosine, 100, 0.0, 0.003)
    optimizer = paddle.optimizer.AdamW(
        scheduler, beta2=0.95, parameters=model.parameters(), weight_decay=0.1,
        apply_decay_param_fun=lambda name: name in decay, grad_clip=nn.ClipGradByGlobalNorm(1.0),
    )
    x, y = paddle.to_tensor(BYTES, "int64"), paddle.to_tensor(AFTER, "int64")

    def step():
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        scheduler.step()
        return float(loss)

    return step


def torch_network():
    import torch
    import torch.nn.functional as F
    from torch import nn

    class CausalSelfAttention(nn.Module):
        def __init__(self):
            super().__init__()
            self.c_attn, self.c_proj = nn.Linear(128, 3 * 128), nn.Linear(128, 128)

        def forward(self, x):
            n, t, _ = x.shape
            query, key, value = self.c_attn(x).view(n, t, 3, 4, 32).permute(2, 0, 3, 1, 4)
            y = F.scaled_dot_product_attention(query, key, value, dropout_p=0.1, is_causal=True)
            return self.c_proj(y.transpose(1, 2).reshape(n, t, 128))

    class Branch(nn.Module):
        def __init__(self, *parts):
            super().__init__()
            self.parts = nn.Sequential(nn.LayerNorm(128), *parts, nn.Dropout(0.1))

        def forward(self, x):
            return x + self.parts(x)

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(256, 128), nn.Embedding(128, 128)
            branches = []
            for _ in range(4):
                mlp = nn.Linear(128, 512), nn.GELU("tanh"), nn.Linear(512, 128)
                branches += [Branch(CausalSelfAttention()), Branch(*mlp)]
            self.trunk = nn.Sequential(nn.Dropout(0.1), *branches, nn.LayerNorm(128))
            self.lm_head = nn.Linear(128, 256, bias=False)
            nn.init.normal_(self.wte.weight, std=0.02)
            self.lm_head.weight = self.wte.weight

        def forward(self, x):
            return self.lm_head(self.trunk(self.wte(x) + self.wpe(torch.arange(x.shape[1]))))

    return GPT()


def torch_adamw(net, fused=True):
    import torch

    def rate(step):
        return min((step + 1) / 100, 0.5 + 0.5 * math.cos(math.pi * step / 1000))

    decaying, rest = [[p for p in net.parameters() if (p.dim() > 1) == wanted] for wanted in (True, False)]
    groups = [{"params": decaying, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0}]
    optimizer = torch.optim.AdamW(groups, lr=0.003, betas=(0.9, 0.95), fused=fused)
    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, rate)


def pytorch(parameters):
    """PyTorch's tutorial on transformers with scaled_dot_product_attention; the fused AdamW of the performance guide.

    bf16: under autocast, as the guide to mixed precision has it: the forward pass and the loss, not the backward pass.
    """
    import torch
    from torch import nn

    net = torch_network()
    optimizer, scheduler = torch_adamw(net)
    criterion = nn.CrossEntropyLoss()
    inputs, labels = torch.from_numpy(BYTES).long(), torch.from_numpy(AFTER).long()
    forward = torch.compile(net) if parameters.get("COMPILE") else net
    bf16 = parameters.get("PRECISION") == "bf16"

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            loss = criterion(forward(inputs).view(-1, 256), labels.view(-1))
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        return loss.item()

    return step


def tensorflow(parameters):
    """TensorFlow's guide "Writing a training loop from scratch", with clipped gradients and a batch on the device."""
    import keras
    import tensorflow as tf

    model, optimizer = keras_network(parameters), keras_adamw()  # the layers are Keras'
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
