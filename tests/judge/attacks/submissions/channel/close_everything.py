# outcome: RTE | WA | FORBIDDEN_OP
# tries: close every descriptor and go on
import os

os.closerange(0, 64)
