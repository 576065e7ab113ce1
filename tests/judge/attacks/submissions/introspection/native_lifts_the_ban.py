# outcome: FORBIDDEN_OP
# tries: lift the bans by the extension
import sys

sys.modules["torchstone_bans"].while_lifted(print)
