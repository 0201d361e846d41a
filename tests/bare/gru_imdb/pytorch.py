"""PyTorch's tutorials on recurrent networks, batch first, with the fused Adam that the performance guide names."""

from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    import torch
    from torch import nn

    embedding, gru, dense = nn.Embedding(30000, 125), nn.GRU(125, 100, batch_first=True), nn.Linear(100, 2)
    net = nn.ModuleList([embedding, gru, dense])
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.001, fused=True)
    inputs, labels = torch.from_numpy(TOKENS), torch.from_numpy(LABELS)

    def step():
        optimizer.zero_grad()
        _, last = gru(embedding(inputs))
        loss = criterion(dense(last[0]), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step
