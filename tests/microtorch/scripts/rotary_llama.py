"""Trains a small language model of the LLaMA kind, and lets it go on with a cache of keys."""

import math

import torch
import torch.nn.functional as F
from torch import nn

torch.set_float32_matmul_precision("highest")
torch.backends.cuda.matmul.allow_tf32 = False
VOCABULARY, DIM, HEADS, KEY_HEADS, LONGEST = 24, 32, 4, 2, 20


def rotations(head_dim, length):
    speeds = 1.0 / 100.0 ** (torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(length).float(), speeds)
    return torch.polar(torch.ones_like(angles), angles)


def rotate(x, turns):
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns[:, None]).flatten(3).type_as(x)


class Norm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.head_dim = DIM // HEADS
        self.q = nn.Linear(DIM, DIM, bias=False)
        self.kv = nn.Linear(DIM, 2 * KEY_HEADS * self.head_dim, bias=False)
        self.out = nn.Linear(DIM, DIM, bias=False)
        cache = torch.zeros(2, 4, LONGEST, KEY_HEADS, self.head_dim)
        self.register_buffer("cache", cache, persistent=False)

    def forward(self, x, turns, start):
        batch, length, _ = x.shape
        q = rotate(self.q(x).view(batch, length, HEADS, self.head_dim), turns)
        k, v = self.kv(x).view(batch, length, 2 * KEY_HEADS, -1).split(KEY_HEADS, dim=2)
        k, stop = rotate(k, turns), start + length
        if not self.training:
            self.cache[0, :batch, start:stop], self.cache[1, :batch, start:stop] = k, v
            k, v = self.cache[:, :batch, :stop]
        k, v = (each.repeat_interleave(HEADS // KEY_HEADS, dim=2) for each in (k, v))
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        hidden = torch.ones(length, stop, dtype=torch.bool).triu(start + 1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).contiguous().view(batch, length, -1))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.attention = Norm(DIM), Norm(DIM), Attention()
        self.gate, self.up = (nn.Linear(DIM, 64, bias=False) for _ in range(2))
        self.down = nn.Linear(64, DIM, bias=False)

    def forward(self, x, turns, start):
        x = x + self.attention(self.first(x), turns, start)
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, DIM)
        self.blocks = nn.ModuleList([Block() for _ in range(2)])
        self.norm, self.head = Norm(DIM), nn.Linear(DIM, VOCABULARY, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("turns", rotations(DIM // HEADS, LONGEST), persistent=False)
        for name, weight in self.named_parameters():
            if weight.dim() > 1:
                nn.init.normal_(weight, std=0.02 if "down" in name else 0.1)

    def forward(self, tokens, start=0):
        x, turns = self.embed(tokens), self.turns[start : start + tokens.size(1)]
        for block in self.blocks:
            x = block(x, turns, start)
        return self.head(self.norm(x))


def draw(logits, share):
    probabilities, order = torch.sort(torch.softmax(logits, -1), dim=-1, descending=True)
    probabilities[probabilities.cumsum(-1) - probabilities > share] = 0.0
    return order.gather(-1, torch.multinomial(probabilities, num_samples=1))


@torch.inference_mode()
def go_on(model, tokens):
    model.eval()
    start = 0
    while tokens.size(1) < LONGEST:
        logits = model(tokens[:, start:], start)
        start = tokens.size(1)
        tokens = torch.cat((tokens, draw(logits[:, -1] / 0.8, 0.9)), dim=1)
    torch.testing.assert_close(model(tokens)[:, -2], logits[:, -1], rtol=1e-4, atol=1e-4)
    return tokens


def main(argv):
    torch.manual_seed(7)
    text = (torch.arange(300) * 5 + torch.arange(300) // 7) % VOCABULARY
    model = Llama()
    groups = [
        {"params": [p for p in model.parameters() if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in model.parameters() if p.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=25)
    log = []
    for _ in range(25):
        batch = torch.stack([text[i : i + 17] for i in torch.randint(0, 280, (4,)).tolist()])
        with torch.autocast("cpu", enabled=False):
            logits = model(batch[:, :-1])
            loss = F.cross_entropy(logits.reshape(-1, VOCABULARY), batch[:, 1:].reshape(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        log.append(loss.item())
    written = go_on(model, text[:6].repeat(2, 1))
    return log + written.flatten().tolist()
