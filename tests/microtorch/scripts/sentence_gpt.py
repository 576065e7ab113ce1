"""Learns a rhyme byte by byte with a decoder, and goes on from its beginning."""

import torch
from torch import nn
from torch.nn import functional as F

RHYME = """\
The rain that falls on hill and plain
runs down the hill and falls again;
the plain that drinks what fell as rain
gives to the sun what falls again.
"""


class Letters:
    """Numbers the bytes that a text is made of, in their order."""

    def __init__(self, text):
        seen = torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8).long()
        self.kept, self.codes = torch.unique(seen, return_inverse=True)
        self.number = torch.full((256,), -1).scatter(0, self.kept, torch.arange(len(self.kept)))

    def read(self, text):
        return self.number[list(text.encode())]

    def write(self, codes):
        return bytes(self.kept[codes].tolist()).decode()


class Layer(nn.Module):
    """Attention and a gated unit side by side, behind one norm, with one map in and one out."""

    def __init__(self, width, heads, reach, rate):
        super().__init__()
        self.heads, self.rate = heads, rate
        self.norm = nn.LayerNorm(width)
        self.inward = nn.Linear(width, 5 * width, bias=False)
        self.outward = nn.Linear(2 * width, width)
        # Where a letter stands is told by how far back it is, head by head.
        self.nearness = nn.Parameter(torch.zeros(heads, reach))
        back = torch.arange(reach).unsqueeze(1) - torch.arange(reach)
        self.register_buffer("back", back.clamp_min(0), persistent=False)
        self.register_buffer("ahead", back.lt(0), persistent=False)

    def forward(self, x):
        long = x.size(-2)
        *parts, value, gate = self.inward(self.norm(x)).tensor_split(5, dim=-1)
        asks, keys, holds = (each.unflatten(-1, (self.heads, -1)) for each in parts)
        score = torch.einsum("bqhc,bkhc->bhqk", asks, keys) / asks.size(-1) ** 0.5
        score = score + self.nearness[:, self.back[:long, :long]]
        share = score.masked_fill(self.ahead[:long, :long], float("-inf")).softmax(-1)
        share = F.dropout(share, self.rate, self.training)
        found = torch.einsum("bhqk,bkhc->bqhc", share, holds).flatten(-2)
        return x + self.outward(torch.cat([found, value * F.gelu(gate)], dim=-1))


class Decoder(nn.Module):
    def __init__(self, letters, width=32, heads=4, depth=2, reach=24, rate=0.1):
        super().__init__()
        self.reach = reach
        self.letter = nn.Embedding(letters, width)
        self.layers = nn.ModuleList(Layer(width, heads, reach, rate) for _ in range(depth))
        self.last = nn.LayerNorm(width, elementwise_affine=False)
        self.level = nn.Parameter(torch.zeros(letters))
        for matrix in (each for each in self.parameters() if each.ndim == 2):
            nn.init.trunc_normal_(matrix, std=matrix.size(1) ** -0.5)
        for layer in self.layers:
            layer.nearness.data.copy_(torch.linspace(0, -2, reach).expand(heads, -1))

    def forward(self, codes):
        x = self.letter(codes)
        for layer in self.layers:
            x = layer(x)
        # What reads letters in names letters, too.
        return F.linear(self.last(x), self.letter.weight, self.level)

    @torch.no_grad()
    def go_on(self, codes, count, nucleus=0.9):
        """Draw from the fewest letters that hold the share ``nucleus`` between them."""
        for _ in range(count):
            chance = self(codes[None, -self.reach :])[0, -1].softmax(0)
            falling, letters = torch.sort(chance, descending=True)
            before = falling.cumsum(0).roll(1).index_fill(0, torch.tensor([0]), 0.0)
            drawn = torch.multinomial(torch.where(before < nucleus, falling, 0.0), 1)
            codes = torch.hstack([codes, letters[drawn]])
        return codes


def main(argv):
    torch.manual_seed(31)
    letters = Letters(RHYME)
    model = Decoder(len(letters.kept))
    windows = letters.codes.unfold(0, model.reach + 1, 1)
    groups = [
        {"params": [p for p in model.parameters() if p.ndim == 2], "weight_decay": 0.05},
        {"params": [p for p in model.parameters() if p.ndim != 2], "lr": 1e-2},
    ]
    optimizer = torch.optim.AdamW(groups, lr=6e-3, weight_decay=0.0, amsgrad=True)
    rise = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.2, total_iters=5)
    fall = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.97)
    plan = torch.optim.lr_scheduler.SequentialLR(optimizer, [rise, fall], milestones=[5])
    log = []
    for _ in range(40):
        batch = windows[torch.randperm(len(windows))[:12]]
        # Windows of unequal length: what lies past an end is not asked for.
        past = torch.arange(model.reach) >= torch.randint(6, model.reach + 1, (12, 1))
        wanted = batch[:, 1:].masked_fill(past, -100)
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.mT, wanted, label_smoothing=0.02)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        plan.step()
        log.append(loss.item())
    log += [group["lr"] for group in optimizer.param_groups]
    model.eval()
    written = letters.write(model.go_on(letters.read("The rain"), 40))
    assert written.startswith("The rain")
    return log + [float(byte) for byte in written.encode()]
