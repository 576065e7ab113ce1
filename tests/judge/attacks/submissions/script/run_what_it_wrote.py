# outcome: FORBIDDEN_OP | RTE
# tries: execute a file of its own
# problem: 99
import os
import sys

with open("run.sh", "w") as file:
    file.write("#!/bin/sh\nexit 0\n")
os.chmod("run.sh", 0o755)
os.execv("./run.sh", ["run.sh"])


answer = 2 * int(sys.argv[1])
