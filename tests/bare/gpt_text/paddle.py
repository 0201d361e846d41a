"""PaddleNLP's GPT, with Paddle's scaled_dot_product_attention, in the eager loop of Paddle's guide on training."""

from tests.bare.gpt_text import AFTER, BYTES


def bare(parameters):
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
