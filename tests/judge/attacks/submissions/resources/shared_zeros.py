# outcome: RTE | MLE
# tries: map the device of zeros, which is shared memory as well
# problem: 06
import mmap
import os

device = os.open("/dev/zero", os.O_RDWR)
held = mmap.mmap(device, 1 << 30)
