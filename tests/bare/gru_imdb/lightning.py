"""Lightning's guide "Lightning in 15 minutes", with PyTorch's fused Adam; a step is a fit of 10 batches in memory."""

import logging
import warnings

from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    import lightning as L
    import torch
    from torch import nn

    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module="lightning")

    class LitGRU(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.embedding, self.gru = nn.Embedding(30000, 125), nn.GRU(125, 100, batch_first=True)
            self.dense = nn.Linear(100, 2)

        def training_step(self, batch, batch_idx):
            x, y = batch
            _, last = self.gru(self.embedding(x))
            return nn.functional.cross_entropy(self.dense(last[0]), y)

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=0.001, fused=True)

    model = LitGRU()
    trainer = L.Trainer(
        accelerator="cpu", devices=1, max_epochs=0, logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False,
    )
    batch = torch.from_numpy(TOKENS), torch.from_numpy(LABELS)
    batches = torch.utils.data.DataLoader([batch] * 10, batch_size=None)

    def step():
        trainer.fit_loop.max_epochs += 1  # the same model goes on
        trainer.fit(model, batches)

    step.batches = 10
    return step
