# verdict: FORBIDDEN_OP
# en: The operator behind the builtin, called by its overload.
# zh: 直接调用内建函数背后的算子。
import torch


def padded(batch, padding_value):
    return torch.ops.aten.pad_sequence.default(batch, True, float(padding_value))


def lengths_of(batch):
    return torch.tensor([len(each) for each in batch])


def masked(data, batch):
    lengths = lengths_of(batch)
    mask = torch.arange(data.shape[1]) < lengths[:, None]
    return {"data": data, "lengths": lengths, "mask": mask}


def pad_collate(batch, *, padding_value=0, pad_to_multiple_of=1, batch_first=True):
    if isinstance(batch[0], tuple):
        sequences, labels = zip(*batch, strict=True)
        return pad_collate(sequences, padding_value=padding_value), torch.tensor(labels)
    return masked(padded(list(batch), padding_value), batch)
