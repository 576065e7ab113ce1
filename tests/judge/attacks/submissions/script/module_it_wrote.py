# outcome: FORBIDDEN_OP | RTE
# tries: shadow a module of the driver by bytecode of its own
# problem: 99
import marshal
import sys

with open("json.pyc", "wb") as file:
    file.write(marshal.dumps(compile("x = 1", "x", "exec")))


answer = 2 * int(sys.argv[1])
