# outcome: FORBIDDEN_OP
# tries: call the zygote's own pointers
import sys

confine = sys.modules["child.confinement.confine"]
confine._mount(b"none", b"/box", b"tmpfs", 0, None)
