# outcome: MLE | RTE | TLE
# problem: 06
# tries: touch memory that no data limit counts
import mmap

held = []
for _ in range(64):
    held.append(mmap.mmap(-1, 64 << 20))
    for page in range(0, 64 << 20, 4096):
        held[-1][page] = 1
