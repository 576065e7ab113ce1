"""``LOADED_BYTES``: additional bytes that a process maps where torch is built for CUDA."""

import torch

# A library's page counts as memory of each process that touches it. For a few calls and their
# gradients a process of torch 2.13.0 takes 33 to 39 MiB with the CPU build, and 91 to 105 MiB with
# the CUDA 13 build; a limit that includes loaded libraries adds this.
LOADED_BYTES = 60 << 20 if torch.version.cuda else 0
