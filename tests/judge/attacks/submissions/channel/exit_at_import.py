# outcome: RTE
# tries: leave with success while it is imported
import os

os._exit(0)
