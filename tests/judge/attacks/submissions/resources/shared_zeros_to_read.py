# outcome: RTE | MLE
# tries: read shared memory of the device of zeros, of which each page that is read is taken
# problem: 06
import mmap
import os

device = os.open("/dev/zero", os.O_RDONLY)
held = [mmap.mmap(device, 64 << 20, prot=mmap.PROT_READ) for _ in range(9)]
for each in held:
    for page in range(0, 64 << 20, 4096):
        each[page]
