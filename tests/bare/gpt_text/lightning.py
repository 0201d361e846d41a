"""Lightning's guide "Lightning in 15 minutes", with clipping and a schedule by step; a step is a fit of 10 batches.

bf16: Lightning clips no gradients for a fused optimizer in mixed precision.
"""

import logging
import warnings

from tests.bare.gpt_text import AFTER, BYTES
from tests.bare.gpt_text.pytorch import adamw, network  # the network is PyTorch's


def bare(parameters):
    import lightning as L
    import torch
    import torch.nn.functional as F

    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module="lightning")
    bf16 = parameters.get("PRECISION") == "bf16"

    class LitGPT(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = network()

        def training_step(self, batch, batch_idx):
            x, y = batch
            return F.cross_entropy(self.net(x).view(-1, 256), y.view(-1))

        def configure_optimizers(self):
            optimizer, scheduler = adamw(self, fused=not bf16)
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
