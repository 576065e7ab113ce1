# verdict: FORBIDDEN_OP
# en: Packs the sequences and pads the packed ones.
# zh: 先打包序列，再把打包的结果填充回来。
import torch
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence


def padded(batch, padding_value):
    packed = pack_sequence(batch, enforce_sorted=False)
    return pad_packed_sequence(packed, batch_first=True, padding_value=padding_value)[0]


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
