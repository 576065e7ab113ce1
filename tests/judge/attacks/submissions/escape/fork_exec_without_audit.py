# outcome: FORBIDDEN_OP | RTE
# tries: fork by the function under subprocess, which raises no event
import _posixsubprocess
import os

read, write = os.pipe()
numbers = (-1, -1, -1, -1, -1, -1, read, write)
program, rest = [b"/bin/true"], (None, None, None, -1, None, True)
_posixsubprocess.fork_exec(program, program, True, (), None, None, *numbers, True, False, -1, *rest)
