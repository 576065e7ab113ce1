# outcome: FORBIDDEN_OP | RTE
# tries: run without audit hook in another interpreter
import _xxsubinterpreters as interpreters

interpreters.run_string(interpreters.create(), "import ctypes; ctypes.CDLL(None)")
