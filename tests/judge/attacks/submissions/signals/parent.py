# outcome: RTE
# tries: signal the zygote
import os

# Signal 0 is refused or taken like any other, and hurts nobody should the wall be missing.

os.kill(os.getppid() or 2, 0)
