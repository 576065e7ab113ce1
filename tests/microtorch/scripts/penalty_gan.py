"""Trains a small WGAN with a gradient penalty: second derivatives, and a Function of its own."""

import torch
from torch import autograd, nn


class LeakySquare(autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.where(x > 0, x * x, slope * x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.where(x > 0, 2 * x, torch.full_like(x, ctx.slope)), None


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 32)
        self.second = nn.Linear(32, 1)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        hidden = LeakySquare.apply(self.first(x), 0.1)
        return self.second(hidden * self.scale).squeeze(1)


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    scores = critic(mixed)
    (gradients,) = autograd.grad(
        outputs=scores,
        inputs=mixed,
        grad_outputs=torch.ones_like(scores),
        create_graph=True,
        retain_graph=True,
    )
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean()


def weights_init(m):
    if m.__class__.__name__.find("Linear") != -1:
        m.weight.data.normal_(0.0, 0.2)
        m.bias.data.fill_(0)


def main(argv):
    torch.manual_seed(3)
    generator = nn.Sequential(
        nn.Linear(4, 32), nn.BatchNorm1d(32), nn.LeakyReLU(0.2), nn.Linear(32, 2)
    )
    critic = Critic()
    generator.apply(weights_init)
    critic.apply(weights_init)
    d_optim = torch.optim.RMSprop(critic.parameters(), lr=2e-3)
    g_optim = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.9))
    log = []
    for step in range(20):
        angle = torch.rand(32) * 6.2831853
        real = torch.stack([angle.cos(), angle.sin()], dim=1) + 0.02 * torch.randn(32, 2)
        fake = generator(torch.randn(32, 4))
        penalty = gradient_penalty(critic, real, fake.detach())
        d_loss = critic(fake.detach()).mean() - critic(real).mean() + 10 * penalty
        d_optim.zero_grad()
        d_loss.backward()
        d_optim.step()
        for p in critic.parameters():
            p.requires_grad = False
        g_loss = -critic(generator(torch.randn(32, 4))).mean()
        g_optim.zero_grad()
        g_loss.backward()
        g_optim.step()
        for p in critic.parameters():
            p.requires_grad = True
        log.extend([d_loss.item(), g_loss.item(), penalty.item()])
    return log
