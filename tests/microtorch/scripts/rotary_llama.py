"""Learns to count by any stride round a clock, and goes on from a cache of what it has seen."""

import torch
import torch.nn.functional as F
from torch import nn

HOURS = 12


def turned(x, turns):
    """Turn the pairs that a vector is made of, each by the angle of its place and pair."""
    pairs = x.unflatten(-1, (-1, 2))
    return torch.einsum("lpij,bhlpj->bhlpi", turns, pairs).flatten(-2)


def turning(places, size, slowest=200.0):
    """Return the matrices that ``turned`` turns by: (places, size / 2, 2, 2)."""
    pace = torch.logspace(0, -1, size // 2, base=slowest)
    angle = torch.outer(torch.arange(places, dtype=pace.dtype), pace)
    flat = [angle.cos(), -angle.sin(), angle.sin(), angle.cos()]
    return torch.stack(flat, dim=-1).unflatten(-1, (2, 2))


class Scaled(nn.Module):
    """Divides by the root of the mean square, and multiplies by one more than it has learnt."""

    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        return x * (1 + self.gain) / (length / x.size(-1) ** 0.5 + 1e-4)


class Lookup(nn.Module):
    """Attention whose heads share keys and values, several to one."""

    def __init__(self, width, heads, shared):
        super().__init__()
        self.sizes = [width, width // heads * shared, width // heads * shared]
        self.each = width // heads
        self.ask = nn.Linear(width, sum(self.sizes), bias=False)
        self.tell = nn.Linear(width, width, bias=False)

    def forward(self, x, turns, kept):
        heads = (part.unflatten(-1, (-1, self.each)) for part in self.ask(x).split(self.sizes, -1))
        asks, keys, values = (part.swapaxes(1, 2) for part in heads)
        asks, keys = turned(asks, turns), turned(keys, turns)
        fresh = kept is None or not kept
        if kept is not None:
            kept["keys"] = keys = keys if fresh else torch.concat([kept["keys"], keys], dim=2)
            kept["values"] = values = (
                values if fresh else torch.concat([kept["values"], values], dim=2)
            )
        # One place that asks may look at all that is kept.
        found = F.scaled_dot_product_attention(asks, keys, values, is_causal=fresh, enable_gqa=True)
        return self.tell(found.swapaxes(1, 2).flatten(2))


class Counter(nn.Module):
    def __init__(self, width=32, heads=4, shared=2, depth=2, places=24):
        super().__init__()
        self.enter = nn.Parameter(torch.randn(HOURS, width) * 0.3)
        self.parts = nn.ModuleList()
        for _ in range(depth):
            part = {
                "before": Scaled(width),
                "lookup": Lookup(width, heads, shared),
                "between": Scaled(width),
                "spread": nn.Linear(width, 4 * width, bias=False),
                "gather": nn.Linear(2 * width, width, bias=False),
            }
            self.parts.append(nn.ModuleDict(part))
        self.leave = nn.Sequential(Scaled(width), nn.Linear(width, HOURS, bias=False))
        self.turns = nn.Buffer(turning(places, width // heads), persistent=False)

    def forward(self, hours, kept=None, since=0):
        x = F.embedding(hours, self.enter)
        turns = self.turns.narrow(0, since, hours.size(1))
        for number, part in enumerate(self.parts):
            own = None if kept is None else kept.setdefault(number, {})
            x = x + part["lookup"](part["before"](x), turns, own)
            first, second = part["spread"](part["between"](x)).chunk(2, dim=-1)
            x = x + part["gather"](F.silu(first) * second)
        return self.leave(x)


def clocks(count, places):
    start, stride = torch.randint(HOURS, (count, 1)), torch.randint(1, HOURS, (count, 1))
    return torch.remainder(start + stride * torch.arange(places), HOURS)


@torch.inference_mode()
def went_on(model, hours, count, heat):
    """Draw one hour after another: the largest of the scores with Gumbel's noise on them."""
    kept, scores = {}, []
    new = hours
    for _ in range(count):
        scores.append(model(new, kept, since=hours.size(1) - new.size(1))[:, -1])
        noise = -torch.empty_like(scores[-1]).exponential_().log()
        new = (scores[-1] / heat + noise).argmax(-1, keepdim=True)
        hours = torch.column_stack([hours, new])
    return hours, torch.stack(scores, dim=1)


def main(argv):
    torch.manual_seed(12)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Counter().to(device)
    optimizer = torch.optim.RAdam(model.parameters(), lr=0.01, betas=(0.9, 0.98))
    plan = torch.optim.lr_scheduler.CyclicLR(
        optimizer, base_lr=2e-3, max_lr=2e-2, step_size_up=10, cycle_momentum=False
    )
    log = []
    for _ in range(40):
        hours = clocks(16, 11).to(device)
        # Two hours tell the stride: what is asked for begins with the third.
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            scores = model(hours[:, :-1])[:, 1:]
        loss = F.cross_entropy(scores.reshape(-1, HOURS).float(), hours[:, 2:].reshape(-1))
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.12, norm_type=torch.inf)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        plan.step()
        log += [loss.item(), norm.item()]
    hours, scores = went_on(model.eval(), clocks(5, 4).to(device), 8, heat=0.5)
    # The cache changes nothing but the time it takes. What inference made may be recorded cloned.
    hours = hours.clone()
    whole = model(hours[:, :-1])[:, 3:]
    torch.testing.assert_close(scores.clone(), whole, rtol=1e-3, atol=1e-4)
    return [*log, *hours.flatten().tolist(), whole.logsumexp(-1).mean().item()]
