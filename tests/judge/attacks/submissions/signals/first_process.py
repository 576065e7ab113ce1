# outcome: RTE
# tries: signal process 1
import os

# Signal 0 is refused or taken like any other, and hurts nobody should the wall be missing.

os.kill(1 if os.getpid() != 1 else 2, 0)
