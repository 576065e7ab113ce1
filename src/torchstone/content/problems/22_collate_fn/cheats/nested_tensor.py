# verdict: FORBIDDEN_OP
# en: A nested tensor that is turned into a padded one.
# zh: 先做成嵌套张量，再转成填充的张量。
import torch


def padded(batch, padding_value):
    nested = torch.nested.nested_tensor(batch)
    return torch.nested.to_padded_tensor(nested, padding_value)


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
