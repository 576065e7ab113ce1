# outcome: WA | MLE | RTE
# tries: answer with more numbers than memory holds
import torch


def softmax(x, dim=-1, dtype=None):
    return torch.zeros(1).expand(1 << 40)
