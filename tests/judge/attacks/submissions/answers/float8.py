# outcome: WA | RTE
# tries: answer in eight bits
# groups: sample small
import torch


def softmax(x, dim=-1, dtype=None):
    return x.exp().to(torch.float8_e4m3fn)
