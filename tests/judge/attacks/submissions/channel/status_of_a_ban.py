# outcome: FORBIDDEN_OP
# tries: leave with the status that the bans use
import os

os._exit(86)
