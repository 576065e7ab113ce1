# %% setup
import threading
import warnings
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import func
from torch.autograd import Function, grad
from torch.utils._python_dispatch import TorchDispatchMode

torch.manual_seed(0)


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except RuntimeError as error:
        return str(error)
    return ""


def leaf(value):
    return torch.tensor(value, requires_grad=True)


def reachable(root):
    """Return the set of nodes that can be reached from a node."""
    seen, stack = {root}, [root]
    while stack:
        for node, _ in stack.pop().next_functions:
            if node is not None and node not in seen:
                seen.add(node)
                stack.append(node)
    return seen


def names(root):
    return sorted(node.name().split("::")[-1] for node in reachable(root))


# %% 10.3.2.1.1 a gradient with a graph of its own
def derive(y, x):
    """Compute dy/dx with a graph of its own; what has no graph is a constant."""
    return grad(y, x, create_graph=True)[0] if y.requires_grad else torch.zeros(())


x = leaf(2.0)
(plain,) = grad(x**3, x)
first = derive(x**3, x)
second = derive(first, x)
third = derive(second, x)
orders = [first.item(), second.item(), third.item()]
print(orders)
# > [12.0, 12.0, 6.0]
assert plain.grad_fn is None  # claim: without-create-graph-it-ends
assert first.grad_fn is not None  # claim: with-it-the-gradient-has-a-node
assert orders == [3 * 2**2, 6 * 2, 6]  # claim: orders-one-to-three
nested = func.grad(func.grad(func.grad(lambda x: x**3)))
assert nested(x.detach()) == third  # claim: func-nests-the-same

# %% 10.3.2.1.1 twice backward is no second derivative
x = leaf(2.0)
y = x**3
y.backward(retain_graph=True)
y.backward()
print(x.grad.item())
# > 24.0
assert x.grad.item() == 2 * 12  # claim: twice-adds-the-first

# %% 10.3.2.1.1 what each order costs
x = leaf(1.0)
value, sizes = torch.exp(torch.sin(x)), []
for _ in range(5):
    sizes.append(len(reachable(value.grad_fn)))
    (value,) = grad(value, x, create_graph=True)
print(sizes)
# > [3, 6, 15, 38, 96]
ratios = [larger / smaller for smaller, larger in pairwise(sizes)]
assert min(ratios) >= 2  # claim: each-order-at-least-doubles

# %% 10.3.2.1.1 where the formula is missing
q = torch.rand(1, 1, 4, 8, requires_grad=True)


def curvature(q):
    (first,) = grad(F.scaled_dot_product_attention(q, q, q).sum(), q, create_graph=True)
    return grad(first.sum(), q)[0]


message = refusal(lambda: curvature(q))
print(message)
# > derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not implemented
assert "_backward is not implemented" in message  # claim: fused-has-no-second
with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    message = refusal(lambda: curvature(q))
assert message == ""  # claim: composed-has-one

# %% 10.3.2.1.2 the innermost wins
x = leaf(2.0)
modes = []
with torch.no_grad():
    modes.append(torch.is_grad_enabled())
    with torch.enable_grad():
        modes.append(torch.is_grad_enabled())
    modes.append(torch.is_grad_enabled())
print(modes)
# > [False, True, False]
assert modes[1] is True  # claim: innermost-wins
assert modes[2] is False  # claim: and-is-undone
try:
    with torch.no_grad():
        raise ValueError
except ValueError:
    after = torch.is_grad_enabled()
assert after  # claim: undone-after-an-error
torch.set_grad_enabled(True)  # for the cells below, whatever you change here

# %% 10.3.2.1.2 each thread has its own
seen = []
with torch.no_grad():
    other = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
    other.start()
    other.join()
    seen.append(torch.is_grad_enabled())
print(seen)
# > [True, False]
assert seen[0] is True  # claim: a-new-thread-starts-with-grad
assert seen[1] is False  # claim: while-this-one-has-none

# %% 10.3.2.1.2 inference mode is another thing
with torch.inference_mode(), torch.enable_grad():
    product, enabled = x * 2, torch.is_grad_enabled()
print(enabled, product.requires_grad, product.is_inference())
# > True False True
assert enabled  # claim: enable-grad-says-true
assert not product.requires_grad  # claim: and-records-nothing
with torch.inference_mode(), torch.inference_mode(False):
    recorded = (x * 2).requires_grad
assert recorded  # claim: only-its-own-false-undoes-it

# %% 10.3.2.1.2 inside backward
modes = []


class Watch(Function):
    @staticmethod
    def forward(ctx, x):
        modes.append(torch.is_grad_enabled())
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        modes.append(torch.is_grad_enabled())
        return grad * 2


y, z = Watch.apply(x), Watch.apply(x)
with torch.no_grad():
    (kept,) = grad(y, x, create_graph=True)
grad(z, x)
print(modes)
# > [False, False, True, False]
assert modes[:2] == [False, False]  # claim: forward-of-a-function-is-off
assert modes[2] is True  # claim: create-graph-beats-no-grad
assert modes[3] is False  # claim: plain-backward-is-off

# %% 10.3.2.1.3 the second graph stands on the first
x = leaf(0.5)
y = torch.tanh(x)
(slope,) = grad(y, x, create_graph=True)
print(names(y.grad_fn), names(slope.grad_fn))
# > ['AccumulateGrad', 'TanhBackward0'] ['AccumulateGrad', 'TanhBackward0', 'TanhBackwardBackward0']
assert slope.grad_fn.name() == "TanhBackwardBackward0"  # claim: backward-has-a-backward
assert y.grad_fn in reachable(slope.grad_fn)  # claim: it-leads-into-the-first
grad(slope, x)
message = refusal(lambda: grad(y, x))
assert "second time" in message  # claim: shared-and-so-freed-together

# %% 10.3.2.1.3 or past it
(wave,) = grad(torch.sin(x), x, create_graph=True)
print(names(wave.grad_fn))
# > ['AccumulateGrad', 'CosBackward0', 'MulBackward0']
assert "SinBackward0" not in names(wave.grad_fn)  # claim: what-the-formula-does-not-use
line = 3 * x
(constant,) = grad(line, x, create_graph=True)
assert not constant.requires_grad  # claim: a-line-has-no-second-graph
message = refusal(lambda: grad(constant, x))
assert "does not require grad" in message  # claim: and-asking-raises
(step,) = grad(torch.relu(x), x, create_graph=True)
(bend,) = grad(step, x)
assert bend == 0  # claim: relu-has-a-graph-and-zero

# %% 10.3.2.1.3 a penalty on the gradient
w, x = leaf(3.0), leaf(2.0)
(slope,) = grad((w * x) ** 2, x, create_graph=True)
penalty = (slope - 1) ** 2
penalty.backward()
print(slope.item(), w.grad.item())
# > 36.0 1680.0
assert slope.item() == 2 * 3**2 * 2  # claim: slope-depends-on-the-weight
assert w.grad.item() == 2 * (36 - 1) * 4 * 3 * 2  # claim: so-the-weight-gets-a-gradient


# %% 10.3.2.1.4 two ways without the matrix
def loss(x):
    return (x**4).sum() / 12 + (x[:-1] * x[1:]).sum()


def twice_back(x, v):
    """Compute H v by differentiating the product of gradient and v."""
    x = x.detach().requires_grad_()
    (slope,) = grad(loss(x), x, create_graph=True)
    return grad(slope @ v, x)[0]


def forward_over_back(x, v):
    """Compute H v as the derivative of the gradient along v."""
    return func.jvp(func.grad(loss), (x,), (v,))[1]


# %% 10.3.2.1.4 and with it, to compare
x, v = torch.rand(6, dtype=torch.float64), torch.rand(6, dtype=torch.float64)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its first use warns inside PyTorch
    matrix = func.hessian(loss)(x)
assert torch.allclose(twice_back(x, v), matrix @ v)  # claim: twice-back-is-exact
assert torch.allclose(forward_over_back(x, v), matrix @ v)  # claim: forward-over-back-too
assert torch.allclose(matrix, matrix.T)  # claim: the-matrix-is-symmetric
step = 1e-4
slope = func.grad(loss)
quotient = (slope(x + step * v) - slope(x - step * v)) / (2 * step)
gap = (quotient - matrix @ v).abs().max().item()
assert 0 < gap < 1e-6  # claim: differences-only-come-close


# %% 10.3.2.1.4 what it costs
class Count(TorchDispatchMode):
    """Count the operators that run, and the numbers that they make."""

    operators = numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        self.operators += 1
        self.numbers += result.numel() if isinstance(result, torch.Tensor) else 0
        return result


def cost(call, n):
    x, v = torch.rand(n, dtype=torch.float64), torch.rand(n, dtype=torch.float64)
    with Count() as count:
        call(x, v)
    return count.operators, count.numbers


def by_matrix(x, v):
    return func.hessian(loss)(x) @ v


# %% 10.3.2.1.4 and how that grows
costs = {call.__name__: [cost(call, n) for n in (16, 64)] for call in (twice_back, by_matrix)}
small, large = costs["twice_back"]
assert small[0] == large[0]  # claim: as-many-operators-for-any-size
assert large[1] < 5 * small[1]  # claim: numbers-grow-linearly
_, of_gradient = cost(lambda x, v: func.grad(loss)(x), 64)
assert large[1] < 3 * of_gradient  # claim: a-small-multiple-of-the-gradient
small, large = costs["by_matrix"]
print(round(large[1] / small[1]))
# > 15
assert large[1] > 14 * small[1]  # claim: the-matrix-grows-quadratically
