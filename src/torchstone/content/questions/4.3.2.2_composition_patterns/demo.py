# %% setup
import torch
from torch import nn

torch.manual_seed(0)


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (RuntimeError, TypeError) as error:
        return str(error)
    return ""


def block(in_features, out_features):
    """Return a layer with its activation."""
    return nn.Sequential(nn.Linear(in_features, out_features), nn.ReLU())


# %% 4.3.2.2.1 a tree of modules
class Classifier(nn.Module):
    def __init__(self, widths, num_classes):
        super().__init__()
        pairs = zip(widths, widths[1:], strict=False)
        self.body = nn.Sequential(*[block(a, b) for a, b in pairs])
        self.head = nn.Linear(widths[-1], num_classes)

    def forward(self, x):
        return self.head(self.body(x))


net = Classifier([8, 16, 4], num_classes=3)
names = [name for name, _ in net.named_parameters() if name.endswith("weight")]
print(names)
# > ['body.0.0.weight', 'body.1.0.weight', 'head.weight']
assert names[0] == "body.0.0.weight"  # claim: names-are-paths
assert net.get_submodule("body.1.0") is net.body[1][0]  # claim: a-path-finds-the-module
deeper = Classifier([8, 16, 16, 4], num_classes=3)
assert len(deeper.body) == len(net.body) + 1  # claim: depth-is-an-argument
net.head = nn.Linear(4, 7)
assert net(torch.ones(2, 8)).shape == (2, 7)  # claim: a-part-is-exchanged


# %% 4.3.2.2.1 where a chain is not enough
class TwoInputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = block(8, 4), block(6, 4)
        self.head = nn.Linear(8, 1)

    def forward(self, image, text):
        return self.head(torch.cat([self.image(image), self.text(text)], dim=1))


image, text = torch.ones(2, 8), torch.ones(2, 6)
assert TwoInputs()(image, text).shape == (2, 1)  # claim: forward-joins-two
message = refusal(lambda: nn.Sequential(block(8, 4))(image, text))
print(message)
# > Sequential.forward() takes 2 positional arguments but 3 were given
assert "takes 2 positional arguments but 3 were given" in message  # claim: a-chain-passes-one

# %% 4.3.2.2.1 the same block twice, or two blocks
shared = block(4, 4)
tied = nn.Sequential(shared, shared)
loop = nn.Sequential(*[block(4, 4)] * 2)
apart = nn.Sequential(block(4, 4), block(4, 4))
counts = [sum(p.numel() for p in each.parameters()) for each in (tied, loop, apart)]
print(counts)
# > [20, 20, 40]
assert counts[0] == 20 and len(tied) == 2  # claim: one-object-is-one-set-of-weights
assert counts[1] == counts[0]  # claim: list-multiplication-shares
assert counts[2] == 40  # claim: two-calls-two-sets
assert len(list(tied.state_dict())) == 4  # claim: saved-under-both-names


# %% 4.3.2.2.2 the block
class Residual(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.first = nn.Linear(in_features, out_features)
        self.second = nn.Linear(out_features, out_features)
        same = in_features == out_features
        self.shortcut = nn.Identity() if same else nn.Linear(in_features, out_features, bias=False)

    def forward(self, x):
        return self.second(self.first(x).relu()) + self.shortcut(x)


x = torch.randn(4, 8, requires_grad=True)
same, wider = Residual(8, 8), Residual(8, 16)
nn.init.zeros_(same.second.weight)
nn.init.zeros_(same.second.bias)
assert torch.equal(same(x), x)  # claim: zeroed-it-is-the-identity
same(x).sum().backward()
assert torch.equal(x.grad, torch.ones(4, 8))  # claim: the-gradient-passes-whole
assert wider(x).shape == (4, 16)  # claim: a-projection-fits-the-shape
wider.shortcut = nn.Identity()
message = refusal(lambda: wider(x))
print(message)
# > The size of tensor a (16) must match the size of tensor b (8) at non-singleton dimension 1
assert "must match the size of tensor b" in message  # claim: unequal-shapes-raise


# %% 4.3.2.2.2 fifty layers deep
def first_gradient(residual):
    torch.manual_seed(0)
    layers = [nn.Sequential(nn.Linear(16, 16), nn.Tanh()) for _ in range(50)]
    h = torch.randn(8, 16)
    for layer in layers:
        h = h + layer(h) if residual else layer(h)
    h.square().mean().backward()
    return layers[0][0].weight.grad.norm().item()


plain, residual = first_gradient(residual=False), first_gradient(residual=True)
print(plain < 1e-9, residual > 1e-3)
# > True True
assert plain < 1e-9  # claim: without-it-the-gradient-vanishes
assert residual > 1e-3  # claim: with-it-it-arrives

# %% 4.3.2.2.2 two additions that go wrong
narrow = nn.Linear(8, 1)(torch.randn(8, 8))
print((narrow + torch.randn(8, 8)).shape)
# > torch.Size([8, 8])
assert (narrow + torch.randn(8, 8)).shape == (8, 8)  # claim: broadcasting-hides-a-mistake


def add_in_place(last):
    out = last(nn.Linear(8, 8)(torch.randn(4, 8)))
    out += torch.ones(4, 8)
    out.sum().backward()


message = refusal(lambda: add_in_place(nn.ReLU()))
print(message[38:95])
# > nt computation has been modified by an inplace operation:
assert "modified by an inplace operation" in message  # claim: after-relu-in-place-raises
assert refusal(lambda: add_in_place(nn.BatchNorm1d(8))) == ""  # claim: after-batch-norm-it-works


# %% 4.3.2.2.3 every layer reads all before it
class DenseBlock(nn.Module):
    def __init__(self, channels, growth, num_layers):
        super().__init__()
        sizes = [channels + i * growth for i in range(num_layers)]
        self.layers = nn.ModuleList(nn.Conv2d(size, growth, 3, padding=1) for size in sizes)

    def forward(self, x):
        features = [x]
        for layer in self.layers:
            features.append(layer(torch.cat(features, dim=1).relu()))
        return torch.cat(features, dim=1)


dense = DenseBlock(16, growth=4, num_layers=3)
image = torch.randn(1, 16, 6, 6)
print([layer.in_channels for layer in dense.layers], dense(image).shape[1])
# > [16, 20, 24] 28
assert [layer.in_channels for layer in dense.layers] == [16, 20, 24]  # claim: inputs-grow-by-growth
assert dense(image).shape == (1, 28, 6, 6)  # claim: out-is-in-plus-layers-times-growth
assert torch.equal(dense(image)[:, :16], image)  # claim: the-input-is-kept-as-it-is

# %% 4.3.2.2.3 cut the last layers off
inputs = torch.randn(1, 16, 6, 6, requires_grad=True)
out = dense(inputs)
(direct,) = torch.autograd.grad(out[:, :16].sum(), inputs, retain_graph=True)
assert torch.equal(direct, torch.ones_like(inputs))  # claim: the-loss-sees-the-input-directly
first = dense.layers[0].weight
later = out[:, 20:].sum()  # without the channels that the first layer made
(through,) = torch.autograd.grad(later, first)
assert through.count_nonzero() > 0  # claim: later-layers-read-the-first


# %% 4.3.2.2.3 what concatenation costs
def saved_elements(num_layers):
    """Count the elements that a dense block keeps for backward, each storage once."""
    kept = {}

    def pack(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes() // 4
        return tensor

    dense = DenseBlock(4, growth=4, num_layers=num_layers)
    weights = {p.untyped_storage().data_ptr() for p in dense.parameters()}
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        out = dense(torch.ones(1, 4, 8, 8))
    total = sum(size for place, size in kept.items() if place not in weights)
    del out  # until here the graph holds what was packed
    return total


few, many = saved_elements(8), saved_elements(16)
print(few, many)
# > 9216 34816
assert many > 3 * few  # claim: twice-the-layers-four-times-the-copies


# %% 4.3.2.2.3 added, not joined
class Summing(DenseBlock):
    def forward(self, x):
        total = x
        for layer in self.layers:
            total = total + layer(total)
        return total


message = refusal(lambda: Summing(16, growth=4, num_layers=2)(image))
assert "must match the size of tensor b" in message  # claim: adding-needs-equal-channels


# %% 4.3.2.2.4 an if in forward
class Switch(nn.Module):
    def __init__(self):
        super().__init__()
        self.paths = nn.ModuleDict({"small": nn.Linear(4, 4), "large": nn.Linear(4, 4)})

    def forward(self, x, name):
        return self.paths[name](x)


switch, ran = Switch(), []
for name, path in switch.paths.items():
    path.register_forward_hook(lambda module, args, output, name=name: ran.append(name))
switch(torch.ones(1, 4), "small").sum().backward()
large = switch.paths["large"].weight
print(ran, large.grad)
# > ['small'] None
assert ran == ["small"]  # claim: one-path-runs
assert large.grad is None  # claim: the-other-has-no-gradient
assert len(list(switch.parameters())) == 4  # claim: both-are-registered

# %% 4.3.2.2.4 a condition for each sample
x = torch.tensor([[1.0, 2.0], [-1.0, -2.0]])
message = refusal(lambda: x if x.sum(dim=1) > 0 else -x)
print(message)
# > Boolean value of Tensor with more than one value is ambiguous
assert "more than one value is ambiguous" in message  # claim: a-batch-has-no-single-answer
first, second = nn.Linear(2, 2), nn.Linear(2, 2)
chosen = (x.sum(dim=1) > 0).long()
out = torch.empty(2, 2)
for number, expert in enumerate((first, second)):
    rows = (chosen == number).nonzero().squeeze(1)
    out = out.index_copy(0, rows, expert(x[rows]))
both = torch.where(chosen.bool().unsqueeze(1), second(x), first(x))
assert torch.allclose(out, both)  # claim: rows-by-expert-equal-where

# %% 4.3.2.2.4 a choice that learns
gate = nn.Linear(2, 2)
scores = gate(x)
hard = scores.argmax(dim=1).float()
assert not hard.requires_grad  # claim: a-hard-choice-has-no-gradient
weights, index = scores.softmax(dim=1), scores.argmax(dim=1, keepdim=True)
(weights.gather(1, index) * both).sum().backward()
assert gate.weight.grad is not None  # claim: a-soft-weight-teaches-the-gate
