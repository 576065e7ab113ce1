import torch
from torch import nn


def build_model(d, hidden, classes, seed):
    """Return the model that every rank trains, in float64."""
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(d, hidden), nn.Tanh(), nn.Linear(hidden, classes)).double()


def main():
    # Read the arguments and the environment, join the group, train, let rank 0 write.
    raise NotImplementedError


if __name__ == "__main__":
    main()
