# outcome: RTE
# tries: signal the group by its number
import os

os.killpg(os.getpgrp() or 1, 0)
