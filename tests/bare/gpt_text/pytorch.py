"""PyTorch's tutorial on transformers with scaled_dot_product_attention, with the fused AdamW of the performance guide.

bf16: under autocast, as the guide to mixed precision has it: the forward pass and the loss, not the backward pass.
"""

import math

from tests.bare.gpt_text import AFTER, BYTES


def network():
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


def adamw(net, fused=True):
    import torch

    def rate(step):
        return min((step + 1) / 100, 0.5 + 0.5 * math.cos(math.pi * step / 1000))

    decaying, rest = [[p for p in net.parameters() if (p.dim() > 1) == wanted] for wanted in (True, False)]
    groups = [{"params": decaying, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0}]
    optimizer = torch.optim.AdamW(groups, lr=0.003, betas=(0.9, 0.95), fused=fused)
    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, rate)


def bare(parameters):
    import torch
    from torch import nn

    net = network()
    optimizer, scheduler = adamw(net)
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
