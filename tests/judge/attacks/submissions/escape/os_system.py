# outcome: FORBIDDEN_OP | RTE
# tries: start a shell
import os

os.system("true")
