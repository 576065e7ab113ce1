# outcome: RTE
# tries: signal another group
import os

# Signal 0 is refused or taken like any other, and hurts nobody should the wall be missing.

os.kill(-2, 0)
