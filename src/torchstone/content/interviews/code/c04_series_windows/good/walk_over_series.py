import torch
from torch.utils.data import Dataset


class WindowDataset(Dataset):
    def __init__(self, series, length, stride, transform=None):
        if length < 1:
            raise ValueError("length")
        if stride < 1:
            raise ValueError("stride")
        self.series = list(series)
        self.starts = [range(0, each.shape[0] - length + 1, stride) for each in self.series]
        self.length = length
        self.transform = transform

    def __len__(self):
        return sum(map(len, self.starts))

    def __getitem__(self, index):
        left = index + len(self) if index < 0 else index
        if left >= 0:
            for number, starts in enumerate(self.starts):
                if left < len(starts):
                    window = self.series[number][starts[left] : starts[left] + self.length]
                    return number, self.transform(window) if self.transform else window
                left -= len(starts)
        raise IndexError(f"no window {index}")


def collate(batch):
    numbers, windows = zip(*batch, strict=True)
    lengths = torch.tensor([window.size(0) for window in windows])
    longest = int(lengths.max())
    real = torch.arange(longest).expand(len(batch), longest) >= longest - lengths.unsqueeze(1)
    padded = torch.zeros((*real.shape, *windows[0].shape[1:]), dtype=windows[0].dtype)
    padded[real] = torch.cat(windows)
    positions = (real.long().cumsum(1) - 1).clamp(min=0)
    return torch.tensor(numbers), padded, ~real, positions
