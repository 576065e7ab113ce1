"""Reads the digits of a file with a small convolutional network, and keeps what it has learnt."""

import argparse
from collections import OrderedDict

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

KINDS = 10


class Step(nn.Module):
    """Looks at each plane by itself, mixes the planes, and adds what came in."""

    def __init__(self, planes, rate):
        super().__init__()
        self.look = nn.Conv2d(planes, planes, 3, padding="same", groups=planes, bias=False)
        self.calm = nn.BatchNorm2d(planes, momentum=0.2)
        self.mix = nn.Conv2d(planes, planes, kernel_size=(1, 1))
        self.thin = nn.Dropout2d(rate)

    def forward(self, x):
        return x + self.thin(self.mix(nn.functional.hardswish(self.calm(self.look(x)))))


def reader(planes=20, rate=0.1):
    parts = OrderedDict()
    parts["corners"] = nn.PixelUnshuffle(2)
    parts["widen"] = nn.Conv2d(4, planes, 3, padding=1, padding_mode="reflect")
    parts["near"] = Step(planes, rate)
    parts["shrink"] = nn.AvgPool2d(2)
    parts["far"] = Step(planes, rate)
    parts["row"] = nn.Flatten()
    parts["name"] = nn.LazyLinear(KINDS)
    return nn.Sequential(parts)


def shifted(images):
    """Move each image by up to one pixel; what comes in is black."""
    count, _, high, wide = images.shape
    padded = nn.functional.pad(images, (1, 1, 1, 1))
    down, right = torch.randint(0, 3, (2, count, 1, 1))
    rows = down + torch.arange(high)[:, None]
    columns = right + torch.arange(wide)
    return padded[torch.arange(count)[:, None, None], 0, rows, columns].unsqueeze(1)


def examined(model, loader):
    """Return the share that is read rightly, the mean loss, and what is read as what."""
    table = torch.zeros(KINDS, KINDS, dtype=torch.int64)
    lost = 0.0
    model.eval()
    with torch.no_grad():
        for images, kinds in loader:
            scores = model(images)
            lost += nn.functional.cross_entropy(scores, kinds, reduction="sum").item()
            read = scores.max(dim=1).indices
            table.index_put_((kinds, read), torch.ones_like(read), accumulate=True)
    model.train()
    right = table.diagonal().sum() / table.sum()
    return right.item(), lost / len(loader.dataset), table


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("digits", help="an .npz file of images and labels")
    parser.add_argument("--keep", metavar="FILE", required=True, help="where to keep the network")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rate", type=float, default=0.02)
    given = parser.parse_args(argv)

    torch.manual_seed(2718)
    file = np.load(given.digits)
    images = torch.as_tensor(file["images"], dtype=torch.float32).div_(16).unsqueeze(1)
    known = TensorDataset(images, torch.as_tensor(file["labels"]).long())
    apart = torch.Generator().manual_seed(5)
    parts = random_split(known, [0.75, 0.25], generator=apart)
    lesson = DataLoader(parts[0], batch_size=48, shuffle=True, drop_last=True)
    exam = DataLoader(parts[1], batch_size=200)

    model = reader()
    model(images[:2])  # So that the lazy layer learns how much comes in.
    judge = nn.CrossEntropyLoss(label_smoothing=0.05)
    optimizer = torch.optim.NAdam(model.parameters(), lr=given.rate, weight_decay=1e-4)
    milder = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 2], gamma=0.3)
    log = []
    for _ in range(given.rounds):
        tally = []
        for batch, kinds in lesson:
            loss = judge(model(shifted(batch)), kinds)
            model.zero_grad()
            loss.backward()
            optimizer.step()
            tally.append(loss.detach())
        milder.step()
        log.extend(torch.stack(tally).unflatten(0, (4, -1)).mean(1).tolist())
        right, lost, table = examined(model, exam)
        log.extend([right, lost])

    torch.save({"kinds": KINDS, "network": model.state_dict()}, given.keep)
    again = reader()
    again(images[:2])
    again.load_state_dict(torch.load(given.keep, weights_only=True)["network"])
    right, lost, table_again = examined(again, exam)
    assert torch.equal(table, table_again)
    return [*log, right, lost]
