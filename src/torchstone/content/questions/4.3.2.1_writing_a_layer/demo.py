# %% setup
import copy

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (RuntimeError, TypeError, AttributeError) as error:
        return str(error)
    return ""


class Scale(nn.Module):
    """Multiply each feature by a learned number."""

    def __init__(self, num_features):
        super().__init__()
        self.num_features = num_features
        self.weight = nn.Parameter(torch.empty(num_features))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.ones_(self.weight)

    def forward(self, x):
        return x * self.weight

    def extra_repr(self):
        return f"num_features={self.num_features}"


# %% 4.3.2.1.1 two methods, and the rest for nothing
layer = Scale(3)
x = torch.tensor([[1.0, 2.0, 3.0]])
layer(x).sum().backward()
print(layer.weight.grad, list(layer.state_dict()))
# > tensor([1., 2., 3.]) ['weight']
assert layer.weight.grad.tolist() == [1, 2, 3]  # claim: backward-comes-for-nothing
assert list(nn.Sequential(layer, nn.ReLU()).state_dict()) == ["0.weight"]  # claim: it-nests
double = copy.deepcopy(layer).double()
assert double.weight.dtype == torch.float64  # claim: it-moves


# %% 4.3.2.1.1 the two ways to break it
class NoSuper(nn.Module):
    def __init__(self):
        self.weight = nn.Parameter(torch.ones(3))


class NoForward(nn.Module):
    pass


message = refusal(NoSuper)
print(message)
# > cannot assign parameters before Module.__init__() call
assert "before Module.__init__() call" in message  # claim: super-comes-first
message = refusal(lambda: NoForward()(x))
print(message)
# > Module [NoForward] is missing the required "forward" function
assert 'missing the required "forward" function' in message  # claim: forward-is-yours

# %% 4.3.2.1.1 call the layer, not its forward
calls = []
handle = layer.register_forward_hook(lambda module, args, output: calls.append("hook"))
layer.forward(x)
past = len(calls)
layer(x)
handle.remove()
assert past == 0  # claim: forward-skips-hooks
assert calls == ["hook"]  # claim: a-call-runs-them


# %% 4.3.2.1.1 what forward makes itself
class Shift(nn.Module):
    def __init__(self, follow):
        super().__init__()
        self.follow = follow

    def forward(self, x):
        place = {"dtype": x.dtype, "device": x.device} if self.follow else {}
        return x + torch.arange(3.0, **place)


half = x.half()
print(Shift(follow=False)(half).dtype, Shift(follow=True)(half).dtype)
# > torch.float32 torch.float16
assert Shift(follow=False)(half).dtype == torch.float32  # claim: a-constant-keeps-its-own-type
assert Shift(follow=True)(half).dtype == torch.float16  # claim: made-like-the-input
on_meta = torch.empty(1, 3, device="meta")
message = refusal(lambda: Shift(follow=False)(on_meta))
print(message)
# > Tensor on device cpu is not on the expected device meta!
assert "is not on the expected device meta" in message  # claim: elsewhere-it-raises
assert refusal(lambda: Shift(follow=True)(on_meta)) == ""  # claim: also-its-device


# %% 4.3.2.1.2 which attribute is found
class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = torch.ones(2, requires_grad=True)
        self.weight = nn.Parameter(torch.ones(2))
        self.scaled = nn.Parameter(torch.ones(2)) * 0.1
        self.in_a_list = [nn.Parameter(torch.ones(2))]
        self.listed = nn.ParameterList([nn.Parameter(torch.ones(2))])
        self.register_buffer("steps", torch.zeros(2))


names = [name for name, _ in Mixed().named_parameters()]
print(names)
# > ['weight', 'listed.0']
assert "plain" not in names  # claim: a-tensor-is-none
assert "weight" in names and Mixed().weight.requires_grad  # claim: a-parameter-is-one
assert "scaled" not in names and type(Mixed().scaled) is torch.Tensor  # claim: arithmetic-unwraps
assert "in_a_list.0" not in names and "listed.0" in names  # claim: lists-need-parameter-list
assert "steps" not in names and "steps" in Mixed().state_dict()  # claim: buffers-are-apart

# %% 4.3.2.1.2 what the unregistered one costs
mixed = Mixed()
optimizer = torch.optim.SGD(mixed.parameters(), lr=1.0)
(mixed.plain.sum() + mixed.weight.sum()).backward()
optimizer.step()
print(mixed.plain.tolist(), mixed.weight.tolist())
# > [1.0, 1.0] [0.0, 0.0]
assert mixed.plain.tolist() == [1, 1] and mixed.plain.grad is not None  # claim: never-updated
assert mixed.weight.tolist() == [0, 0]  # claim: the-registered-is
moved = Mixed().double()
kinds = moved.plain.dtype, moved.weight.dtype
assert kinds == (torch.float32, torch.float64)  # claim: never-moved

# %% 4.3.2.1.2 a registered name is guarded
layer = Scale(2)
message = refusal(lambda: setattr(layer, "weight", torch.ones(2)))
print(message)
# > cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)
assert "cannot assign" in message  # claim: a-tensor-is-refused
before = layer.weight
layer.weight = nn.Parameter(torch.zeros(2))
assert layer.weight is not before  # claim: a-new-parameter-replaces
optional = nn.Module()
optional.register_parameter("bias", None)
assert optional.bias is None and list(optional.parameters()) == []  # claim: none-holds-the-place
assert "bias" not in optional.state_dict()  # claim: and-is-not-saved

# %% 4.3.2.1.3 what stands between the brackets
print(Scale(4))
# > Scale(num_features=4)
assert repr(Scale(4)) == "Scale(num_features=4)"  # claim: shown-in-the-brackets


class Silent(nn.Module):
    pass


assert repr(Silent()) == "Silent()"  # claim: by-default-nothing
net = nn.Sequential(Scale(4), nn.Linear(4, 2))
print(net)
# > Sequential(
# >   (0): Scale(num_features=4)
# >   (1): Linear(in_features=4, out_features=2, bias=True)
# > )
assert "(0): Scale(num_features=4)" in repr(net)  # claim: shown-in-the-tree


# %% 4.3.2.1.3 with children, on a line of its own
class Wrapped(Scale):
    def __init__(self, num_features):
        super().__init__(num_features)
        self.inner = nn.ReLU()


print(Wrapped(4))
# > Wrapped(
# >   num_features=4
# >   (inner): ReLU()
# > )
assert repr(Wrapped(4)).splitlines()[1] == "  num_features=4"  # claim: above-the-children

# %% 4.3.2.1.3 computed when it is asked for
layer = Scale(4)
layer.num_features = 9
assert repr(layer) == "Scale(num_features=9)"  # claim: read-at-the-time
assert layer.weight.shape == (4,)  # claim: and-not-checked
assert list(layer.state_dict()) == ["weight"]  # claim: it-saves-nothing
same, other = nn.ModuleList([Scale(4), Scale(4)]), nn.ModuleList([Scale(4), Scale(5)])
print(repr(same).splitlines()[1].strip())
# > (0-1): 2 x Scale(num_features=4)
assert "(0-1): 2 x Scale(num_features=4)" in repr(same)  # claim: equal-lines-are-folded
assert "2 x" not in repr(other)  # claim: different-ones-are-not

# %% 4.3.2.1.4 why nn.init, and why in a method
layer = Scale(3)
message = refusal(lambda: layer.weight.mul_(2))
print(message)
# > a leaf Variable that requires grad is being used in an in-place operation.
assert "leaf Variable that requires grad" in message  # claim: a-plain-write-is-refused
nn.init.uniform_(layer.weight)
assert layer.weight.is_leaf and layer.weight.grad_fn is None  # claim: init-writes-unrecorded
before = layer.weight
layer.reset_parameters()
assert layer.weight is before and before.sum() == 3  # claim: reset-keeps-the-object

# %% 4.3.2.1.4 a new object is unknown to the optimizer
layer = Scale(3)
optimizer = torch.optim.SGD(layer.parameters(), lr=1.0)
layer.weight = nn.Parameter(torch.full((3,), 5.0))
layer(torch.ones(1, 3)).sum().backward()
optimizer.step()
assert layer.weight.tolist() == [5, 5, 5]  # claim: a-replaced-weight-stays
with torch.no_grad():
    layer.weight.fill_(7)
assert layer.weight.tolist() == [7, 7, 7]  # claim: no-grad-allows-a-write

# %% 4.3.2.1.4 apply, from the inside out
net, order = nn.Sequential(nn.Linear(2, 2), nn.Sequential(Scale(2))), []


def start(module):
    order.append(type(module).__name__)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)


net.apply(start)
print(order)
# > ['Linear', 'Scale', 'Sequential', 'Sequential']
assert order == ["Linear", "Scale", "Sequential", "Sequential"]  # claim: children-come-first
assert net[0].bias.count_nonzero() == 0  # claim: apply-overwrites

# %% 4.3.2.1.4 built without memory, then started
with torch.device("meta"):
    layer = Scale(3)
assert layer.weight.is_meta  # claim: meta-has-no-values
layer = layer.to_empty(device="cpu")
layer.reset_parameters()
assert layer.weight.tolist() == [1, 1, 1]  # claim: reset-after-to-empty
linear = nn.Linear(100, 1000)
print(linear.weight.abs().max().item() <= 0.1)
# > True
assert 0.09 < linear.weight.abs().max() <= 0.1  # claim: linear-starts-by-fan-in
torch.manual_seed(0)
spread = functional.linear(torch.randn(500, linear.in_features), linear.weight).std()
assert 0.5 < spread < 0.65  # claim: and-shrinks-the-signal
