"""Teaches a point to move to where it is told, by proximal policy optimisation."""

import random

import numpy as np
import torch
from torch import nn, optim
from torch.amp import GradScaler
from torch.distributions.categorical import Categorical
from torch.distributions.normal import Normal

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def layer(inputs, outputs, gain=2**0.5):
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, gain)
    nn.init.constant_(made.bias, 0.0)
    return made


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(layer(4, 32), nn.Tanh(), layer(32, 32), nn.Tanh())
        self.value, self.push = layer(32, 1, 1.0), layer(32, 2, 0.01)
        self.brake = layer(32, 3, 0.01)
        self.log_std = nn.Parameter(torch.zeros(1, 2))

    def forward(self, seen, push=None, brake=None):
        hidden = self.body(seen)
        mean = self.push(hidden)
        pushes = Normal(mean, self.log_std.expand_as(mean).exp())
        brakes = Categorical(logits=self.brake(hidden))
        if push is None:
            push, brake = pushes.sample(), brakes.sample()
        log_prob = pushes.log_prob(push).sum(1) + brakes.log_prob(brake)
        entropy = pushes.entropy().sum(1) + brakes.entropy()
        return push, brake, log_prob, entropy, self.value(hidden).squeeze(-1)


def play(agent, steps, count):
    """Collect what was seen, done and earned."""
    place, goal = torch.zeros(count, 2), torch.rand(count, 2) * 2 - 1
    rows = []
    for _ in range(steps):
        seen = torch.cat((place, goal), 1).to(device)
        with torch.no_grad():
            push, brake, log_prob, _, value = agent(seen)
        place = place + 0.1 * push.clamp(-1, 1) / (1 + brake).unsqueeze(1)
        reward = -(place - goal).norm(dim=1)
        rows.append((seen, push, brake, log_prob, value, reward))
    return [torch.stack(column) for column in zip(*rows, strict=True)]


def advantages(values, rewards, discount=0.95, trace=0.9):
    found, last = torch.zeros_like(rewards), torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        following = values[t + 1] if t + 1 < len(rewards) else torch.zeros_like(values[t])
        last = rewards[t] + discount * following - values[t] + discount * trace * last
        found[t] = last
    return found


def main(argv):
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    agent = Agent().to(device)
    optimizer = optim.Adam(agent.parameters(), lr=3e-3, eps=1e-5)
    scaler = GradScaler(device.type, enabled=torch.cuda.is_available())
    log = []
    for _ in range(4):
        seen, push, brake, log_prob, value, reward = play(agent, 16, 8)
        gain = advantages(value, reward)
        batch = [each.flatten(0, 1) for each in (seen, push, brake, log_prob, gain, gain + value)]
        order = np.arange(len(batch[0]))
        for _ in range(2):
            np.random.shuffle(order)
            for rows in np.split(order, 4):
                seen, push, brake, before, gain, wanted = (each[rows] for each in batch)
                _, _, now, entropy, value = agent(seen, push, brake)
                ratio = (now - before).exp()
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                policy = torch.max(-gain * ratio, -gain * ratio.clamp(0.8, 1.2)).mean()
                error = 0.5 * (value - wanted).pow(2).mean()
                loss = policy - 0.01 * entropy.mean() + 0.5 * error
                optimizer.zero_grad()
                scaler.scale(loss).backward()
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                scaler.step(optimizer)
                scaler.update()
                log.append(loss.item())
        log.append(reward.mean().item())
    return log
