# %% setup
import copy
import operator

import torch
from torch import nn
from torch.fx import Node, Tracer, replace_pattern, symbolic_trace
from torch.fx.passes.shape_prop import ShapeProp

torch.manual_seed(0)


class Scaled(nn.Module):
    """A layer and a parameter of its own, so that the graph has nodes of every kind."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return torch.relu(self.linear(x) * self.scale).sum(1)


class Residual(nn.Module):
    """Two layers, an activation and a sum; the last two are functions, not modules."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return self.second(torch.relu(self.first(x))) + x


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (RuntimeError, ValueError) as error:
        return str(error)
    return ""


def targets(traced):
    """Return what the nodes of a graph call, by name."""
    return [getattr(node.target, "__name__", node.target) for node in traced.graph.nodes]


# %% 10.5.2.1.1 six kinds of nodes
model = Scaled()
graph = symbolic_trace(model).graph
for node in graph.nodes:
    print(node.op, node.name, node.args)
# > placeholder x ()
# > call_module linear (x,)
# > get_attr scale ()
# > call_function mul (linear, scale)
# > call_function relu (mul,)
# > call_method sum_1 (relu, 1)
# > output output (sum_1,)
kinds = [node.op for node in graph.nodes]
six = {"placeholder", "get_attr", "call_function", "call_method", "call_module", "output"}
assert set(kinds) == six  # claim: six-kinds
assert kinds.count("call_module") == 1  # claim: a-layer-is-one-node

# %% 10.5.2.1.1 Python comes out
traced = symbolic_trace(model)
print(traced.code.strip())
# > def forward(self, x):
# >     linear = self.linear(x);  x = None
# >     scale = self.scale
# >     mul = linear * scale;  linear = scale = None
# >     relu = torch.relu(mul);  mul = None
# >     sum_1 = relu.sum(1);  relu = None
# >     return sum_1
assert "torch.relu(mul)" in traced.code  # claim: the-code-is-python
assert traced.linear.weight is model.linear.weight  # claim: parameters-are-shared
x = torch.randn(2, 4)
assert torch.equal(traced(x), model(x))  # claim: it-runs
again = symbolic_trace(traced)
assert targets(again) == targets(traced)  # claim: it-can-be-traced-again

# %% 10.5.2.1.1 who reads a value
nodes = {node.name: node for node in traced.graph.nodes}
print(nodes["mul"].args, list(nodes["mul"].users))
# > (linear, scale) [relu]
assert list(nodes["mul"].users) == [nodes["relu"]]  # claim: users-are-known
message = refusal(lambda: traced.graph.erase_node(nodes["mul"]))
print(message)
# > Tried to erase Node mul but it still had 1 users in the graph: {relu: None}!
assert "still had 1 users" in message  # claim: what-is-read-stays

# %% 10.5.2.1.1 another graph than that of autograd
with torch.no_grad():
    traced = symbolic_trace(model)
    out = traced(x)
assert out.grad_fn is None  # claim: autograd-recorded-nothing
assert len(traced.graph.nodes) == 7  # claim: the-graph-is-whole

# %% 10.5.2.1.1 shapes come later
traced = symbolic_trace(model)
relu = next(node for node in traced.graph.nodes if node.name == "relu")
assert "tensor_meta" not in relu.meta  # claim: no-shape-at-first
ShapeProp(traced).propagate(torch.randn(5, 4))
print(relu.meta["tensor_meta"].shape)
# > torch.Size([5, 3])
assert relu.meta["tensor_meta"].shape == (5, 3)  # claim: an-example-brings-it

# %% 10.5.2.1.2 a stand-in for the tensor
seen = []


def affine(x):
    seen.append(type(x).__name__)
    return (x.relu() * 2 + 1).sum()


traced = symbolic_trace(affine)
for _ in range(3):
    traced(torch.ones(2))
print(seen, targets(traced))
# > ['Proxy'] ['x', 'relu', 'mul', 'add', 'sum', 'output']
assert seen == ["Proxy"]  # claim: forward-ran-once-without-a-tensor
assert targets(traced) == ["x", "relu", "mul", "add", "sum", "output"]  # claim: each-call-a-node


# %% 10.5.2.1.2 a branch on a value
def flipped(x):
    if x.sum() > 0:
        return x
    return -x


message = refusal(lambda: symbolic_trace(flipped))
print(message)
# > symbolically traced variables cannot be used as inputs to control flow
assert "inputs to control flow" in message  # claim: a-branch-on-a-value-is-refused
chosen = symbolic_trace(lambda x: torch.where(x.sum() > 0, x, -x))
low = torch.tensor([-2.0, 1.0])
assert torch.equal(chosen(low), flipped(low))  # claim: where-keeps-both


# %% 10.5.2.1.2 what Python decided stays
class Noisy(nn.Module):
    def forward(self, x):
        if self.training:
            x = x + torch.rand(3)
        for _ in range(4):
            x = x * 2
        return x


traced = symbolic_trace(Noisy()).eval()
print(targets(traced))
# > ['x', '_tensor_constant0', 'add', 'mul', 'mul', 'mul', 'mul', 'output']
zeros = torch.zeros(3)
assert traced(zeros).sum() > 0  # claim: the-flag-is-fixed
assert torch.equal(traced(zeros), traced(zeros))  # claim: the-noise-is-a-constant
assert targets(traced).count("mul") == 4  # claim: the-loop-is-unrolled


# %% 10.5.2.1.2 a leaf is not entered
class Flipping(nn.Module):
    def forward(self, x):
        return flipped(x)


class Coarse(Tracer):
    def is_leaf_module(self, module, name):
        return isinstance(module, Flipping) or super().is_leaf_module(module, name)


model = nn.Sequential(nn.Linear(2, 2), Flipping())
assert "control flow" in refusal(lambda: Tracer().trace(model))  # claim: own-modules-are-entered
graph = Coarse().trace(model)
called = [node.target for node in graph.nodes if node.op == "call_module"]
print(called)
# > ['0', '1']
assert called == ["0", "1"]  # claim: a-leaf-hides-the-branch


# %% 10.5.2.1.3 find, guard, replace, erase
def use_silu(model):
    """Replace x * sigmoid(x) by one call, where nothing else reads the sigmoid."""
    traced = symbolic_trace(model)
    for node in list(traced.graph.nodes):
        if node.target is not operator.mul or not isinstance(node.args[1], Node):
            continue
        x, gate = node.args
        if gate.target is not torch.sigmoid or gate.args != (x,) or len(gate.users) > 1:
            continue
        with traced.graph.inserting_before(node):
            silu = traced.graph.call_function(nn.functional.silu, (x,))
        node.replace_all_uses_with(silu)
        traced.graph.erase_node(node)
        traced.graph.erase_node(gate)
    traced.graph.lint()
    traced.recompile()
    return traced


def gated(x):
    return x * torch.sigmoid(x)


done = use_silu(gated)
print(targets(done))
# > ['x', 'silu', 'output']
assert targets(done) == ["x", "silu", "output"]  # claim: one-call-instead-of-two
x = torch.randn(100)
assert torch.allclose(done(x), gated(x))  # claim: the-values-are-kept


# %% 10.5.2.1.3 where it must not match, and where it should
def read_twice(x):
    gate = torch.sigmoid(x)
    return x * gate + gate


kept = use_silu(read_twice)
print(targets(kept))
# > ['x', 'sigmoid', 'mul', 'add', 'output']
assert "silu" not in targets(kept)  # claim: a-second-reader-forbids-it
swapped = use_silu(lambda x: torch.sigmoid(x) * x)
assert "silu" not in targets(swapped)  # claim: another-spelling-escapes

# %% 10.5.2.1.3 a pattern instead of a loop
by_pattern, guarded = symbolic_trace(gated), symbolic_trace(read_twice)
found = replace_pattern(by_pattern, gated, lambda x: nn.functional.silu(x))
print(len(found), targets(by_pattern))
# > 1 ['x', 'silu', 'output']
assert targets(by_pattern) == ["x", "silu", "output"]  # claim: the-rewriter-does-the-same
assert not replace_pattern(guarded, gated, lambda x: x)  # claim: it-guards-as-well

# %% 10.5.2.1.3 edited, and not yet compiled
traced = symbolic_trace(lambda x: torch.relu(x))
x = torch.tensor([-1.0, 2.0])
for node in traced.graph.nodes:
    if node.target is torch.relu:
        node.target = torch.tanh
assert torch.equal(traced(x), x.relu())  # claim: the-old-code-runs-on
traced.recompile()
assert torch.equal(traced(x), x.tanh())  # claim: now-the-new-one-runs
node = next(node for node in traced.graph.nodes if node.target is torch.tanh)
with traced.graph.inserting_after(node):
    late = traced.graph.call_function(torch.neg, tuple(traced.graph.find_nodes(op="placeholder")))
node.args = (late,)
message = refusal(traced.graph.lint)
print(message.split("!")[0])
# > Argument 'neg' of Node 'relu' was used before it has been defined
assert "used before it has been defined" in message  # claim: lint-finds-a-wrong-order


# %% 10.5.2.1.3 a call that nobody reads
def shifted(x):
    torch.exp(x)
    y = x * 2
    y.add_(1)
    return y


traced = symbolic_trace(shifted)
traced.graph.eliminate_dead_code()
traced.recompile()
print(targets(traced), traced(torch.zeros(2)), shifted(torch.zeros(2)))
# > ['x', 'mul', 'output'] tensor([0., 0.]) tensor([1., 1.])
assert "exp" not in targets(traced)  # claim: dead-calls-go
assert traced(torch.zeros(2)).sum() == 0  # claim: a-write-in-place-goes-too


# %% 10.5.2.1.4 a place for an observer behind each value
class Observer(nn.Module):
    """Hand a value on and note its range."""

    low = high = 0.0

    def forward(self, x):
        self.low, self.high = min(self.low, x.min().item()), max(self.high, x.max().item())
        return x


def observe(model, skip=()):
    """Return a traced copy with an observer behind each call whose name is not to be skipped."""
    traced = symbolic_trace(copy.deepcopy(model))
    for node in [n for n in traced.graph.nodes if n.op.startswith("call") and n.name not in skip]:
        traced.add_submodule(f"seen_{node.name}", Observer())
        with traced.graph.inserting_after(node):
            seen = traced.graph.call_module(f"seen_{node.name}")
        node.replace_all_uses_with(seen)
        seen.args = (node,)
    traced.recompile()
    return traced


# %% 10.5.2.1.4 more places than modules
model, data = Residual().eval(), torch.randn(256, 8)
watched = observe(model)
places = [name for name, _ in watched.named_children() if name.startswith("seen")]
print(places)
# > ['seen_first', 'seen_relu', 'seen_second', 'seen_add']
assert len(places) == 4 > len(list(model.children()))  # claim: functions-have-places-too
assert torch.equal(watched(data), model(data))  # claim: observing-changes-nothing


# %% 10.5.2.1.4 ranges become rounding
def quantise(traced):
    """Replace each observer by rounding to 8 bits over the range that it has seen."""
    for node in [n for n in traced.graph.nodes if str(n.target).startswith("seen")]:
        seen = traced.get_submodule(node.target)
        step = max((seen.high - seen.low) / 255, 1e-8)
        args = (node.args[0], step, round(-seen.low / step), 0, 255)
        with traced.graph.inserting_before(node):
            rounded = traced.graph.call_function(torch.fake_quantize_per_tensor_affine, args)
        node.replace_all_uses_with(rounded)
        traced.graph.erase_node(node)
    traced.recompile()
    return traced


def error(model, other):
    return ((model(data) - other(data)).abs().max() / model(data).abs().max()).item()


small = observe(model)
small(data / 4)
whole, narrow = quantise(watched), quantise(small)
print(f"{error(model, whole):.3f} {error(model, narrow):.3f}")
# > 0.006 0.701
assert error(model, whole) < 0.02  # claim: rounding-costs-little
assert error(model, narrow) > 0.3  # claim: unlike-data-saturate

# %% 10.5.2.1.4 what the rounding does not change
before, after = len(symbolic_trace(model).graph.nodes), len(whole.graph.nodes)
print(before, after, whole.first.weight.dtype)
# > 6 10 torch.float32
assert after == before + 4  # claim: more-calls-not-fewer
assert whole.first.weight.dtype == torch.float32  # claim: the-weights-stay-float

# %% 10.5.2.1.4 no rounding inside a pair
relus = symbolic_trace(model).graph.find_nodes(op="call_function", target=torch.relu)
pairs = [node.args[0].name for node in relus if len(node.args[0].users) == 1]
paired = observe(model, skip=pairs)
paired(data)
left = [name for name, _ in paired.named_children() if name.startswith("seen")]
print(pairs, left)
# > ['first'] ['seen_relu', 'seen_second', 'seen_add']
assert len(left) == 3  # claim: a-pair-needs-one-place-less
inside, behind = watched.seen_first, paired.seen_relu
assert behind.high - behind.low < 0.7 * (inside.high - inside.low)  # claim: its-range-is-narrower


# %% 10.5.2.1.4 zeros take the same room
def size(model):
    return sum(parameter.nbytes for parameter in model.parameters())


masked = copy.deepcopy(model)
with torch.no_grad():
    masked.first.weight[8:] = 0
    masked.first.bias[8:] = 0
print(size(model), size(masked))
# > 1120 1120
assert size(masked) == size(model)  # claim: a-mask-saves-nothing


# %% 10.5.2.1.4 cut along the readers
def cut(model, name, keep):
    """Return a traced copy without some outputs of a layer, and without what its readers lose."""
    traced = symbolic_trace(copy.deepcopy(model))
    front, readers = list(traced.graph.find_nodes(op="call_module", target=name)[0].users), []
    while front:
        node = front.pop()
        if node.op == "call_module":
            readers.append(traced.get_submodule(node.target))
        elif node.target is torch.relu:
            front += node.users
        else:
            raise ValueError(f"the outputs of {name} are tied by {node.name}")
    layer = traced.get_submodule(name)
    layer.weight, layer.bias = nn.Parameter(layer.weight[keep]), nn.Parameter(layer.bias[keep])
    for reader in readers:
        reader.weight = nn.Parameter(reader.weight[:, keep])
    return traced


# %% 10.5.2.1.4 smaller, and what forbids it
short = cut(masked, "first", torch.arange(8))
print(size(masked), size(short))
# > 1120 576
assert size(short) < 0.6 * size(masked)  # claim: a-cut-saves-half
assert torch.allclose(short(data), masked(data), atol=1e-5)  # claim: dead-outputs-are-not-missed
message = refusal(lambda: cut(model, "second", torch.arange(4)))
print(message)
# > the outputs of second are tied by add
assert "tied by add" in message  # claim: a-sum-ties-the-outputs

# %% 10.5.2.1.4 a bias lives on
with torch.no_grad():
    masked.first.bias[8:] = 1
assert not torch.allclose(short(data), masked(data), atol=1e-2)  # claim: a-bias-is-missed
with torch.no_grad():
    short.second.bias += masked.second.weight[:, 8:] @ masked.first.bias[8:].relu()
assert torch.allclose(short(data), masked(data), atol=1e-5)  # claim: it-moves-into-the-next-bias
