"""Trains an LSTM to average the numbers it sees, with packed sequences of unequal length."""

import torch
from torch import nn, optim
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Model(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.embed = nn.Embedding(10, 8, padding_idx=0)
        self.rnn = nn.LSTM(8, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Sequential(nn.Linear(2 * hidden, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x, lengths):
        packed = pack_padded_sequence(
            self.embed(x), lengths, batch_first=True, enforce_sorted=False
        )
        output, _ = self.rnn(packed)
        output, _ = pad_packed_sequence(output, batch_first=True)
        mask = (torch.arange(output.shape[1])[None, :] < lengths[:, None]).unsqueeze(-1)
        pooled = (output * mask).sum(1) / lengths[:, None]
        return self.out(pooled).squeeze(-1)


def main(argv):
    torch.manual_seed(0)
    model = Model()
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    criterion = nn.SmoothL1Loss()
    log = []
    for _ in range(25):
        lengths = torch.randint(2, 9, (16,))
        x = torch.randint(1, 10, (16, 8))
        x[torch.arange(8)[None, :] >= lengths[:, None]] = 0
        target = x.float().sum(1) / lengths
        loss = criterion(model(x, lengths), target)
        model.zero_grad()
        loss.backward()
        optimizer.step()
        log.append(loss.item())
    with torch.no_grad():
        log.extend(model(x, lengths).tolist())
    return log
