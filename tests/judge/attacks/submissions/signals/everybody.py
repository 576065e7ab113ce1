# outcome: RTE
# tries: signal every process there is
import os

# Signal 0 is refused or taken like any other, and hurts nobody should the wall be missing.

os.kill(-1, 0)
