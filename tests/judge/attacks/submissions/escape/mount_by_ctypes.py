# outcome: FORBIDDEN_OP
# tries: mount through the C library
import ctypes

ctypes.CDLL(None).mount(b"none", b"/box", b"tmpfs", 0, None)
