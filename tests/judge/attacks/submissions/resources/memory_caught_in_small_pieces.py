# outcome: MLE | WA
# tries: go on in shared memory where private memory is refused, and say nothing of it
# problem: 06
import mmap

import torch

held = []
try:
    while True:
        held.append(torch.ones(4 << 18))
except RuntimeError:
    pass
for _ in range(40):
    held.append(mmap.mmap(-1, 8 << 20))
    held[-1].write(bytes(8 << 20))
