# outcome: TLE
# tries: loop in C, where no signal handler of Python runs
import re

re.match("(a+)+$", "a" * 60 + "b")
