# outcome: RTE
# tries: use up the table of open files
import os

for _ in range(5000):
    os.dup(0)
