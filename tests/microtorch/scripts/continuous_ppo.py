"""Learns to steer a sledge to a flag, in steps that stay near what it did before."""

import torch
from torch import nn, optim
from torch.distributions import Bernoulli, Normal, kl_divergence
from torch.utils.data import DataLoader, TensorDataset

SLEDGES, MOVES = 32, 16


def moved(place, speed, push, brake):
    """Let a moment pass: where the sledges are then, how fast, and what that is worth."""
    speed = torch.lerp(speed, push.tanh(), 0.3) * (1 - 0.5 * brake)
    place = (place + 0.4 * speed).clip(-3, 3)
    worth = 0.5 - 0.25 * place.hypot(0.5 * speed).sum(-1) - 0.01 * push.square().sum(-1)
    return place, speed, worth


class Driver(nn.Module):
    """Return the force along both axes, and whether to brake."""

    def __init__(self, width=24):
        super().__init__()
        self.sees = nn.Linear(4, width)
        self.push = nn.Linear(width, 2)
        self.brake = nn.Linear(width, 1)
        self.spread = nn.Parameter(torch.full((2,), 0.2))
        nn.init.kaiming_uniform_(self.sees.weight, nonlinearity="relu")
        # Whoever knows nothing yet does nothing.
        for head in (self.push, self.brake):
            nn.init.uniform_(head.weight, -0.01, 0.01)
            nn.init.zeros_(head.bias)

    def forward(self, seen):
        known = nn.functional.elu(self.sees(seen))
        spread = nn.functional.softplus(self.spread).expand(*seen.shape[:-1], 2)
        return Normal(self.push(known), spread), Bernoulli(logits=self.brake(known))


def driven(driver):
    """Drive all sledges from places of chance; give what was seen, done and won."""
    place, speed = torch.empty(SLEDGES, 2).uniform_(-2, 2), torch.zeros(SLEDGES, 2)
    steps = []
    with torch.no_grad():
        for _ in range(MOVES):
            seen = torch.cat([place, speed], dim=-1)
            push, brake = (choice.sample() for choice in driver(seen))
            place, speed, worth = moved(place, speed, push, brake)
            steps.append((seen, push, brake, worth))
    return [torch.stack(column) for column in zip(*steps, strict=True)]


def promised(worth, guess, fade=0.95, trust=0.9):
    """Blend, from the end on, what came with what was guessed of the rest."""
    # What comes after the last move is guessed from where it was made.
    rest = guess[-1]
    result = torch.empty_like(worth)
    for t in reversed(range(len(worth))):
        later = guess[min(t + 1, MOVES - 1)]
        rest = worth[t] + fade * torch.lerp(later, rest, trust)
        result[t] = rest
    return result


def main(argv):
    torch.manual_seed(77)
    driver = Driver()
    critic = nn.Sequential(nn.Linear(4, 24), nn.Softsign(), nn.Linear(24, 1), nn.Flatten(0))
    drive = optim.Adam(driver.parameters(), lr=0.02)
    guess = optim.Adamax(critic.parameters(), lr=0.02, weight_decay=1e-3)
    leash, log = 1.0, []
    for _ in range(14):
        seen, push, brake, worth = driven(driver)
        with torch.no_grad():
            guessed = critic(seen.flatten(0, 1)).unflatten(0, (MOVES, SLEDGES))
        promise = promised(worth, guessed)
        better = promise - guessed
        flat = [each.flatten(0, 1) for each in (seen, push, brake, better, promise)]
        with torch.no_grad():
            pushes, brakes = driver(flat[0])
            known = (pushes.mean, pushes.stddev, brakes.logits)
        loader = DataLoader(TensorDataset(*flat, *known), batch_size=128, shuffle=True)
        strayed = []
        for _ in range(3):
            for s, pushed, braked, gain, value, mean, spread, inclined in loader:
                before = (Normal(mean, spread), Bernoulli(logits=inclined))
                now, done = driver(s), (pushed, braked)
                chance = sum(n.log_prob(d).sum(-1) for n, d in zip(now, done, strict=True))
                was = sum(b.log_prob(d).sum(-1) for b, d in zip(before, done, strict=True))
                stray = sum(kl_divergence(b, n).sum(-1) for b, n in zip(before, now, strict=True))
                gain = gain / gain.std().clamp(min=1e-3)
                likelier = (chance - was).exp()
                daring = 0.005 * now[0].entropy().sum(-1)
                held = torch.minimum(likelier * gain, likelier.clip(0.75, 1.25) * gain)
                loss = (leash * stray - held - daring).mean()
                drive.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(driver.parameters(), 1.0)
                drive.step()
                error = nn.functional.huber_loss(critic(s), value, delta=2.0)
                guess.zero_grad()
                error.backward()
                guess.step()
                strayed.append(stray.mean().item())
        # The leash is pulled where steps went far, and let out where they did not.
        far = strayed[-1]
        leash *= 1.5 if far > 0.03 else 0.75 if far < 0.01 else 1.0
        log += [worth.mean().item(), loss.item(), error.item(), far, leash]
    return log
