# outcome: RTE
# tries: write one file without end
# problem: 99
import sys

with open("file", "wb") as file:
    for _ in range(200):
        file.write(bytes(1 << 20))
        file.flush()


answer = 2 * int(sys.argv[1])
