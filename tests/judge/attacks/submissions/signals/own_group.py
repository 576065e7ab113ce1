# outcome: RTE
# tries: signal the group of the zygote
import os

# Signal 0 is refused or taken like any other, and hurts nobody should the wall be missing.

os.kill(0, 0)
