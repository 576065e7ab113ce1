# outcome: WA | RTE | MLE | TLE
# tries: answer with very many tensors
import torch


def softmax(x, dim=-1, dtype=None):
    return [torch.zeros(1) for _ in range(100_000)]
