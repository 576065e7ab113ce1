# outcome: RTE | MLE | TLE
# tries: run over the end of the stack
import sys

sys.setrecursionlimit(10**9)
nested = []
for _ in range(10**6):
    nested = [nested]
repr(nested)
