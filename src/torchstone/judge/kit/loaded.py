"""``LOADED_BYTES``: how much more a process maps where torch is built for CUDA."""

import torch

# A page of a library counts as memory of each process that touches it. For a few calls and their
# gradients a process of torch 2.13.0 takes 33 to 39 MiB with the build for the CPU, and 91 to
# 105 MiB with that for CUDA 13: a limit that includes what is loaded has to know.
LOADED_BYTES = 60 << 20 if torch.version.cuda else 0
