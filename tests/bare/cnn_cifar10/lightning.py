"""Lightning's guide "Lightning in 15 minutes", in the layout of PyTorch's guide; a step is a fit of 10 batches."""

import logging
import warnings

from tests.bare.cnn_cifar10 import IMAGES, LABELS


def bare(parameters):
    import lightning as L
    import torch
    from torch import nn

    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module="lightning")

    class LitCNN(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(
                nn.Conv2d(3, 50, 3, padding=1), nn.ReLU(), nn.Conv2d(50, 50, 3, padding=1), nn.MaxPool2d(2), nn.ReLU(),
                nn.Dropout(0.25),
                nn.Conv2d(50, 100, 3, padding=1), nn.ReLU(), nn.Conv2d(100, 100, 3, padding=1), nn.MaxPool2d(2),
                nn.ReLU(), nn.Dropout(0.25), nn.Flatten(), nn.Linear(6400, 512), nn.ReLU(), nn.Dropout(0.5),
                nn.Linear(512, 10),
            )

        def training_step(self, batch, batch_idx):
            x, y = batch
            return nn.functional.cross_entropy(self.net(x), y)

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9)

    model = LitCNN().to(memory_format=torch.channels_last)
    trainer = L.Trainer(
        accelerator="cpu", devices=1, precision="bf16-mixed" if parameters.get("PRECISION") == "bf16" else "32-true",
        max_epochs=0, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    )
    images = torch.from_numpy(IMAGES).contiguous(memory_format=torch.channels_last)
    batches = torch.utils.data.DataLoader([(images, torch.from_numpy(LABELS))] * 10, batch_size=None)

    def step():
        trainer.fit_loop.max_epochs += 1  # the same model goes on
        trainer.fit(model, batches)

    step.batches = 10
    return step
