# outcome: FORBIDDEN_OP
# tries: lift the bans by the module of the bans
import sys

sys.modules["child.bans.bans"].while_lifted(print)
