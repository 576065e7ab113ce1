# outcome: FORBIDDEN_OP
# tries: unshare by a function pointer left in memory
import sys

sys.modules["child.libc"].LIBC.unshare(0x10000000)
