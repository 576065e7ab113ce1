# %% setup
import warnings
from collections import Counter

import torch
from torch import fx, nn


def walk(*roots):
    """Return the nodes behind tensors in the order of discovery, and the edges between them."""
    nodes, edges, waiting = [], [], [root.grad_fn for root in roots if root.grad_fn]
    while waiting:
        node = waiting.pop(0)
        if node in nodes:
            continue
        nodes.append(node)
        for before, _ in node.next_functions:
            if before is not None:
                edges.append((before, node))
                waiting.append(before)
    return nodes, edges


torch.manual_seed(0)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch.jit.trace(nn.Identity(), torch.ones(1))  # the first trace loads the tracer

# %% 3.4.2.2.1 nodes and edges, as text
w, x = torch.ones(2, requires_grad=True), torch.ones(2)
hidden = (w * x).exp()
loss = (hidden + hidden.square()).sum()
nodes, edges = walk(loss)
names = [node.name() for node in nodes]
lines = [f'"{before.name()}" -> "{after.name()}"' for before, after in edges]
print("digraph {", *lines, "}", sep="\n")
# > digraph {
# > "AddBackward0" -> "SumBackward0"
# > "ExpBackward0" -> "AddBackward0"
# > "PowBackward0" -> "AddBackward0"
# > "MulBackward0" -> "ExpBackward0"
# > "ExpBackward0" -> "PowBackward0"
# > "torch::autograd::AccumulateGrad" -> "MulBackward0"
# > }
assert len(nodes) == 6 and len(edges) == 6  # claim: a-walk-finds-the-graph
assert names.count("ExpBackward0") == 1  # claim: a-node-used-twice-is-drawn-once
assert sum(before.name() == "ExpBackward0" for before, _ in edges) == 2  # claim: by-two-edges
assert len(walk(loss.clone())[0]) == len(nodes) + 1  # claim: every-operation-adds-a-node

# %% 3.4.2.2.1 what is not in the picture
leaves = [node for node in nodes if node.name() == "torch::autograd::AccumulateGrad"]
assert len(leaves) == 1 and leaves[0].variable is w  # claim: leaves-end-in-accumulate
with torch.no_grad():
    silent = (w * x).sum()
assert silent.grad_fn is None and x.grad_fn is None  # claim: unrecorded-is-undrawn

# %% 3.4.2.2.1 the other graph, with the names of modules
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
traced = fx.symbolic_trace(net)
print([node.target for node in traced.graph.nodes])
# > ['input', '0', '1', '2', 'output']
recorded = {node.name() for node in walk(net(torch.ones(1, 2)))[0]}
print(sorted(recorded))
# > ['AddmmBackward0', 'ReluBackward0', 'TBackward0', 'torch::autograd::AccumulateGrad']
targets = [node.target for node in traced.graph.nodes if node.op == "call_module"]
assert targets == ["0", "1", "2"]  # claim: fx-has-the-modules
assert {"AddmmBackward0", "ReluBackward0"} < recorded  # claim: autograd-has-the-operations

# %% 3.4.2.2.2 names for the leaves
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
loss = net(torch.ones(1, 2)).sum()
nodes, _ = walk(loss)
leaves = [node.variable for node in nodes if hasattr(node, "variable")]
params = {id(parameter): name for name, parameter in net.named_parameters()}
drawn = sorted(params.get(id(leaf), "?") for leaf in leaves)
print(drawn)
# > ['0.bias', '0.weight', '2.bias', '2.weight']
assert "?" not in drawn  # claim: named-by-identity
copies = {id(p): name for name, p in net.state_dict().items()}
assert not any(id(leaf) in copies for leaf in leaves)  # claim: a-state-dict-names-nothing


# %% 3.4.2.2.2 the attributes behind the options
def saved(node):
    return [each.removeprefix("_saved_") for each in dir(node) if each.startswith("_saved_")]


last_layer = nodes[0].next_functions[0][0]
activation = last_layer.next_functions[1][0]  # of bias, input and weight
print(activation.name(), saved(activation), saved(nodes[0]))
# > TanhBackward0 ['result'] ['self_sym_sizes']
assert saved(activation) == ["result"]  # claim: saved-tensors-are-attributes
assert "self_sym_sizes" in saved(nodes[0])  # claim: so-are-plain-values
loss.backward()
try:
    values = [getattr(activation, f"_saved_{each}") for each in saved(activation)]
    message = ""
except RuntimeError as error:
    message = str(error)
print(message[:60])
# > Trying to backward through the graph a second time (or direc
assert "after they have already been freed" in message  # claim: saved-are-gone-after-backward
assert len(walk(loss)[0]) == len(nodes)  # claim: the-nodes-are-still-there

# %% 3.4.2.2.2 one output, or none
outputs = torch.ones(2, requires_grad=True).square(), torch.ones(2, requires_grad=True).exp()
assert len(walk(*outputs)[0]) == len(walk(outputs[0])[0]) + 2  # claim: several-outputs-one-walk
plain = net.eval()(torch.ones(1, 2))
assert plain.grad_fn is not None  # claim: eval-still-records


# %% 3.4.2.2.3 what a trace writes down
class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.low, self.high = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        return self.high(x) if x.sum() > 0 else self.low(x)


def trace(model, example):
    """Do what add_graph does first, and return its graph and the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        traced = torch.jit.trace(model, example, check_trace=False)
    torch._C._jit_pass_inline(traced.graph)
    return traced.graph, traced, [str(each.message) for each in said]


gate = Gate()
graph, traced, said = trace(gate, torch.ones(1, 2))
scopes = {node.scopeName() for node in graph.nodes() if "aten::linear" in node.kind()}
print(scopes, any("deprecated" in each for each in said))
# > {'__module.high'} True
assert any("`torch.jit.trace` is deprecated" in each for each in said)  # claim: tracing-warns
assert scopes == {"__module.high"}  # claim: operations-in-their-module

# %% 3.4.2.2.3 one run, one path
low = torch.full((1, 2), -1.0)
assert torch.equal(traced(low), gate.high(low))  # claim: the-other-branch-is-missing
assert not torch.equal(traced(low), gate(low))  # claim: though-the-model-takes-it
assert any("Converting a tensor to a Python boolean" in each for each in said)  # claim: it-warns

# %% 3.4.2.2.3 the forward of the model, nothing else
kinds = Counter(node.kind() for node in graph.nodes())
print(dict(kinds))
# > {'prim::GetAttr': 3, 'aten::linear': 1}
assert not any("backward" in kind.lower() for kind in kinds)  # claim: no-gradients-in-it
sizes = [node.output().type().sizes() for node in graph.nodes() if "linear" in node.kind()]
assert sizes == [[1, 2]]  # claim: shapes-of-the-example

# %% 3.4.2.2.4 count before you draw
block = nn.Sequential(*[m for _ in range(50) for m in (nn.Linear(4, 4), nn.ReLU())])
loss = block(torch.ones(1, 4)).sum()
nodes, edges = walk(loss)
census = Counter(node.name() for node in nodes)
print(len(nodes), census.most_common(2))
# > 251 [('torch::autograd::AccumulateGrad', 100), ('ReluBackward0', 50)]
assert census["AddmmBackward0"] == census["ReluBackward0"] == 50  # claim: a-census-of-kinds
with_extra = block(torch.ones(1, 4)).float().clone().sum()
added = Counter(node.name() for node in walk(with_extra)[0]) - census
assert added == {"CloneBackward0": 1}  # claim: a-difference-of-two-graphs


# %% 3.4.2.2.4 ask it a question
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.used, self.forgotten = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)

    def forward(self, x):
        hidden = self.body(x)
        self.forgotten(hidden.detach())
        return self.used(hidden)


heads = Heads()
loss = heads(torch.ones(1, 4)).sum()
reached = {id(n.variable) for n in walk(loss)[0] if hasattr(n, "variable")}
unreached = [name for name, p in heads.named_parameters() if id(p) not in reached]
print(unreached)
# > ['forgotten.weight', 'forgotten.bias']
assert unreached == ["forgotten.weight", "forgotten.bias"]  # claim: who-is-not-reached
loss.backward()
without = [name for name, p in heads.named_parameters() if p.grad is None]
assert without == unreached  # claim: exactly-those-get-none


# %% 3.4.2.2.4 one box a module
def boundaries(network):
    """Note the nodes that each child of a network makes."""
    made = {}

    def note(name):
        def hook(module, args, output):
            before = {node for each in args if each.grad_fn for node in walk(each)[0]}
            made[name] = [node.name() for node in walk(output)[0] if node not in before]

        return hook

    handles = [m.register_forward_hook(note(n)) for n, m in network.named_children()]
    return made, handles


net = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 2))
made, handles = boundaries(net)
net(torch.ones(1, 4))
print({name: len(names) for name, names in made.items()})
# > {'0': 4, '1': 1, '2': 4}
assert made["1"] == ["GeluBackward0"]  # claim: nodes-by-module
total = len(walk(net(torch.ones(1, 4)))[0])
assert sum(map(len, made.values())) == total  # claim: each-node-has-one

# %% 3.4.2.2.4 the order in which it runs
order = []
loss = net(torch.ones(1, 4)).sum()
for node in walk(loss)[0]:
    node.register_prehook(lambda grads, n=node: order.append(n))
loss.backward()
numbers = [n._sequence_nr() for n in order if not hasattr(n, "variable")]
print([node.name()[:-9] for node in order if not hasattr(node, "variable")])
# > ['Sum', 'Addmm', 'T', 'Gelu', 'Addmm', 'T']
assert numbers == sorted(numbers, reverse=True)  # claim: latest-first
