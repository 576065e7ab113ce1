import torch
from torch.utils.data import Dataset


class WindowDataset(Dataset):
    def __init__(self, series, length, stride, transform=None):
        if not (length >= 1 and stride >= 1):
            raise ValueError("length and stride must be at least 1")
        self.series, self.length, self.stride, self.transform = series, length, stride, transform
        sizes = torch.tensor([len(each) for each in series], dtype=torch.int64)
        counts = torch.div(sizes - length, stride, rounding_mode="floor").add(1).clamp(min=0)
        self.borders = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)])

    def __len__(self):
        return int(self.borders[-1])

    def __getitem__(self, index):
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        number = int(torch.searchsorted(self.borders, index, right=True)) - 1
        start = (index - int(self.borders[number])) * self.stride
        window = self.series[number].narrow(0, start, self.length)
        if self.transform is not None:
            window = self.transform(window)
        return number, window


def collate(batch):
    windows = [window for _, window in batch]
    sizes = [len(window) for window in windows]
    longest = max(sizes)
    rows, positions = [], []
    for window, size in zip(windows, sizes, strict=True):
        rows.append(torch.cat([window.new_zeros(longest - size, *window.shape[1:]), window]))
        positions.append(
            torch.tensor([0] * (longest - size) + list(range(size)), dtype=torch.int64)
        )
    mask = torch.tensor(
        [[place < longest - size for place in range(longest)] for size in sizes], dtype=torch.bool
    ).view(len(sizes), longest)
    numbers = torch.tensor([number for number, _ in batch], dtype=torch.int64)
    return numbers, torch.stack(rows), mask, torch.stack(positions)
