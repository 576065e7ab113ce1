# outcome: RTE
# tries: claim a file larger than the disk
# problem: 99
import sys

with open("file", "wb") as file:
    file.truncate(1 << 40)


answer = 2 * int(sys.argv[1])
