# outcome: FORBIDDEN_OP | RTE
# tries: have inspect read it
import inspect
import sys

inspect.getsource(sys.modules["torch._refs"].softmax)
