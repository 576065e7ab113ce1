# outcome: FORBIDDEN_OP | RTE
# tries: read the solution of another problem
import inspect
import sys

inspect.getsource(sys.modules["torch.autograd.gradcheck"])
