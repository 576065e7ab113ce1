"""Function transforms: vmap, grad, vjp, jvp, jacrev, hessian, as in ``torch.func``."""

from torchstone.microtorch.func.derivatives import grad as grad
from torchstone.microtorch.func.derivatives import grad_and_value as grad_and_value
from torchstone.microtorch.func.derivatives import hessian as hessian
from torchstone.microtorch.func.derivatives import jacfwd as jacfwd
from torchstone.microtorch.func.derivatives import jacrev as jacrev
from torchstone.microtorch.func.derivatives import jvp as jvp
from torchstone.microtorch.func.derivatives import linearize as linearize
from torchstone.microtorch.func.derivatives import vjp as vjp
from torchstone.microtorch.func.functional_call import functional_call as functional_call
from torchstone.microtorch.func.functional_call import stack_module_state as stack_module_state
from torchstone.microtorch.func.vmap import vmap as vmap
