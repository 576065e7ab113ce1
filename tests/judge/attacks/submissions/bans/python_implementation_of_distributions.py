# outcome: FORBIDDEN_OP
# tries: call a softmax in Python of torch.distributions
import torch


def softmax(x, dim=-1, dtype=None):
    transform = torch.distributions.transforms.SoftmaxTransform()
    return transform(x.transpose(dim, -1)).transpose(dim, -1)
