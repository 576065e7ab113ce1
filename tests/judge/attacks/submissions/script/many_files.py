# outcome: RTE | TLE
# tries: use up the inodes
# problem: 99
import sys

for number in range(100_000):
    open(f"file{number}", "w").close()


answer = 2 * int(sys.argv[1])
