# outcome: OLE
# tries: flood standard output
import os

block = b"A" * (1 << 20)
for _ in range(500):
    os.write(1, block)
