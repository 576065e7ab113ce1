# outcome: FORBIDDEN_OP | RTE
# tries: fork
# problem: 99
import os
import sys

if os.fork() == 0:
    os._exit(0)


answer = 2 * int(sys.argv[1])
