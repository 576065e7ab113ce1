# outcome: FORBIDDEN_OP | RTE
# tries: become a shell
import os

os.execv("/bin/sh", ["sh", "-c", "exit"])
