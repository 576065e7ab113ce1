# outcome: MLE
# tries: use it up while answering
import torch


def softmax(x, dim=-1, dtype=None):
    held = [torch.ones(16 << 20) for _ in range(64)]
    return held[0]
