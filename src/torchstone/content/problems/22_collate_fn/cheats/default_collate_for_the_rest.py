# verdict: FORBIDDEN_OP
# en: Pads by itself and lets default_collate do everything else.
# zh: 自己只做填充，其余交给 default_collate。
import torch
from torch.utils.data import default_collate


def padded(batch, padding_value):
    longest = max(map(len, batch))
    return default_collate(
        [
            torch.cat([each, each.new_full((longest - len(each), *each.shape[1:]), padding_value)])
            for each in batch
        ]
    )


def lengths_of(batch):
    return torch.tensor([len(each) for each in batch])


def masked(data, batch):
    lengths = lengths_of(batch)
    mask = torch.arange(data.shape[1]) < lengths[:, None]
    return {"data": data, "lengths": lengths, "mask": mask}


def pad_collate(batch, *, padding_value=0, pad_to_multiple_of=1, batch_first=True):
    if isinstance(batch[0], tuple):
        sequences, labels = zip(*batch, strict=True)
        return pad_collate(sequences, padding_value=padding_value), default_collate(list(labels))
    return masked(padded(list(batch), padding_value), batch)
