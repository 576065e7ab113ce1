"""Learns to draw points of a spiral, from a critic whose slopes are held down."""

import copy

import torch
from torch import nn


class Bow(torch.autograd.Function):
    """A hyperbola, sqrt(x^2 + a^2) - a, with a slope that can itself be differentiated."""

    @staticmethod
    def forward(x, bend):
        return torch.hypot(x, torch.full_like(x, bend)) - bend

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.bend = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x * torch.rsqrt(x.square() + ctx.bend**2), None


class Judge(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.layers = nn.ParameterList(
            nn.init.xavier_normal_(torch.empty(rows, columns), gain=1.4)
            for rows, columns in ((width, 2), (width, width), (1, width))
        )
        self.shifts = nn.ParameterDict({"low": torch.zeros(width), "high": torch.zeros(width)})

    def forward(self, points):
        low = nn.functional.linear(points, self.layers[0], self.shifts["low"])
        high = nn.functional.linear(Bow.apply(low, 0.5), self.layers[1], self.shifts["high"])
        return (Bow.apply(high, 0.25) @ self.layers[2].T).squeeze(-1)


def spiral(count):
    along = torch.rand(count).sqrt()
    turn = 3 * torch.pi * along
    return torch.column_stack([turn.cos(), turn.sin()]) * along[:, None] + 0.03 * torch.randn(
        count, 2
    )


def steepness(judge, drawn, true):
    """Punish slopes of more than one, at places of chance round the true points and the drawn."""
    places = torch.vstack([drawn.detach(), true])
    places = (places + 0.2 * torch.randn_like(places)).requires_grad_()
    (slopes,) = torch.autograd.grad(judge(places).sum(), places, create_graph=True)
    excess = torch.linalg.vector_norm(slopes, dim=1).sub(1).clamp(min=0)
    return excess.square().mean()


def apart(first, second, count=8):
    """Compare two sets of points by what they look like from several sides."""
    angle = torch.linspace(0, torch.pi, count + 1)[:-1]
    sides = torch.stack([angle.cos(), angle.sin()])
    return (first.mm(sides).msort() - second.mm(sides).msort()).abs().mean()


def main(argv):
    torch.manual_seed(404)
    artist = nn.Sequential(
        nn.Linear(3, 24, bias=False), nn.BatchNorm1d(24, eps=1e-3), nn.PReLU(24),
        nn.utils.parametrizations.weight_norm(nn.Linear(24, 24)), nn.SiLU(), nn.Linear(24, 2),
    )  # fmt: skip
    judge = Judge()
    # What has been learnt, averaged over the last steps.
    calm = copy.deepcopy(artist).requires_grad_(False)
    draws = torch.optim.RMSprop(artist.parameters(), lr=3e-3, centered=True)
    judges = torch.optim.Adam(judge.parameters(), lr=8e-3, betas=(0.3, 0.9))
    log = []
    for step in range(36):
        true = spiral(40)
        drawn = artist(torch.randn(40, 3))
        gap = judge(true).mean() - judge(drawn.detach()).mean()
        steep = steepness(judge, drawn, true)
        judges.zero_grad()
        (4 * steep - gap).backward()
        judges.step()
        log += [gap.item(), steep.item()]
        if step % 3 == 2:
            # The judge is asked, but not taught.
            judge.requires_grad_(False)
            loss = -judge(drawn).mean()
            draws.zero_grad()
            loss.backward()
            draws.step()
            judge.requires_grad_(True)
            for slow, fast in zip(calm.parameters(), artist.parameters(), strict=True):
                slow.data.lerp_(fast.data, 0.3)
            log.append(loss.item())
    for slow, fast in zip(calm.buffers(), artist.buffers(), strict=True):
        slow.copy_(fast)
    calm.eval()
    with torch.no_grad():
        log.append(apart(calm(torch.randn(100, 3)), spiral(100)).item())
    return log
