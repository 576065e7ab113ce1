# verdict: FORBIDDEN_OP
# en: The builtin under the name that C++ gives it.
# zh: 换个名字调用内建函数：C++ 里的那一个。
import torch


def padded(batch, padding_value):
    return torch._C._nn.pad_sequence(batch, True, padding_value)


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
