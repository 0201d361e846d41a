"""Paddle's tutorial on text classification with IMDB, with nn.GRU over the reviews, batch first."""

from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    import paddle
    from paddle import nn

    embedding, gru, linear = nn.Embedding(30000, 125), nn.GRU(125, 100), nn.Linear(100, 2)
    model = nn.LayerList([embedding, gru, linear])
    criterion = nn.CrossEntropyLoss()
    opt = paddle.optimizer.Adam(0.001, parameters=model.parameters())
    x, y = paddle.to_tensor(TOKENS), paddle.to_tensor(LABELS)

    def step():
        _, last = gru(embedding(x))
        loss = criterion(linear(last[0]), y)
        loss.backward()
        opt.step()
        opt.clear_grad()
        return float(loss)

    return step
