# verdict: RTE
# en: Only the structure of the sample: a sequence and a label.
# zh: 只会处理样例的结构：一个序列加一个标签。
import torch


def pad_collate(batch, *, padding_value=0, pad_to_multiple_of=1, batch_first=True):
    sequences, labels = zip(*batch, strict=True)
    lengths = torch.tensor([len(each) for each in sequences])
    longest = int(lengths.max())
    rows = [
        torch.cat([x, x.new_full((longest - len(x), *x.shape[1:]), padding_value)])
        for x in sequences
    ]
    mask = torch.arange(longest) < lengths[:, None]
    data = torch.stack(rows)
    return {"data": data, "lengths": lengths, "mask": mask}, torch.tensor(labels)
