"""Devices of problem 25 for a machine with CUDA: train one step on all GPUs from one process.

Run it with a file that defines ``DataParallel``: ``python examples/data_parallel_cuda.py mine.py``.
"""

import runpy
import sys
from contextlib import AbstractContextManager

import torch
from torch import Tensor, nn


class CudaDevice:
    """A GPU with the two methods that the problem asks of a device."""

    def __init__(self, index: int) -> None:
        self.index = index

    def put(self, tensor: Tensor) -> Tensor:
        """Copy a tensor to this GPU; the gradient returns to the source."""
        return tensor.to(f"cuda:{self.index}", non_blocking=True)

    def scope(self) -> AbstractContextManager[None]:
        """Let this thread compute on this GPU."""
        return torch.cuda.device(self.index)  # type: ignore[no-any-return]


def main(arguments: list[str]) -> str:
    """Train one step, and say what came of it."""
    if not torch.cuda.is_available():
        return "There is no GPU here: the devices of this example need CUDA."
    if len(arguments) != 1:
        return "Give one file that defines DataParallel."
    devices = [CudaDevice(index) for index in range(torch.cuda.device_count())]
    module = nn.Linear(3, 2).to("cuda:0")
    model = runpy.run_path(arguments[0])["DataParallel"](module, devices)
    loss = model(torch.randn(8, 3, device="cuda:0")).square().mean()
    loss.backward()
    norm = next(module.parameters()).grad.norm().item()  # type: ignore[union-attr]
    return f"{len(devices)} GPUs, loss {loss.item():.4f}, norm of the gradient {norm:.4f}"


if __name__ == "__main__":
    sys.stdout.write(f"{main(sys.argv[1:])}\n")
