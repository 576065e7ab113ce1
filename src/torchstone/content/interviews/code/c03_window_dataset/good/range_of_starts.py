import torch
from torch.utils.data import Dataset


class WindowDataset(Dataset):
    def __init__(self, series, length, stride, transform=None):
        if min(length, stride) < 1:
            raise ValueError("length and stride must be positive")
        self.series = series
        self.length = length
        # A range is a sequence: it knows its length, negative indices, and where it ends.
        self.starts = range(0, series.shape[0], stride)
        self.transform = transform

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, index):
        start = self.starts[index]
        item = self.series.narrow(0, start, min(self.length, self.series.shape[0] - start))
        if self.transform is not None:
            item = self.transform(item)
        return item


def collate(batch):
    lengths = torch.as_tensor([window.size(0) for window in batch], dtype=torch.int64)
    mask = torch.arange(max(lengths.tolist())).expand(len(batch), -1) < lengths.unsqueeze(1)
    padded = torch.zeros(*mask.shape, *batch[0].shape[1:], dtype=batch[0].dtype)
    padded[mask] = torch.cat(batch)
    return padded, lengths, mask
