"""A small program for `xray.py`, which measures how long its scene takes."""

import torch

x = torch.randn(3, 4, requires_grad=True)
w = torch.randn(5, 4, requires_grad=True)
torch.relu(torch.nn.functional.linear(x, w)).sum().backward()
