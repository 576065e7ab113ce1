# outcome: FORBIDDEN_OP
# tries: unshare by a function pointer left in memory
import sys

sys.modules["child.confinement.libc"].LIBC.unshare(0x10000000)
