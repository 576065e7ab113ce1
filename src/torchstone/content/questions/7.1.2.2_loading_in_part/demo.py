# %% setup
import copy
import warnings
from collections import OrderedDict

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (RuntimeError, TypeError, ValueError) as error:
        return str(error)
    return ""


def noted(call):
    """Call a function; return its result and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [str(each.message) for each in caught]


class Net(nn.Module):
    """A body with statistics, and a head."""

    def __init__(self, num_classes=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4))
        self.head = nn.Linear(4, num_classes)

    def forward(self, x):
        return self.head(self.body(x))


trained = Net()
for _ in range(3):
    trained(torch.randn(16, 2) + 5)  # fills the running statistics

# %% 7.1.2.2.1 what is missing stays
file = {key: value for key, value in trained.state_dict().items() if "head" not in key}
net = Net()
before = copy.deepcopy(net.state_dict())
result, messages = noted(lambda: net.load_state_dict(file, strict=False))
print(result.missing_keys, messages)
# > ['head.weight', 'head.bias'] []
assert torch.equal(net.head.weight, before["head.weight"])  # claim: missing-keep-their-values
assert torch.equal(net.body[0].weight, trained.body[0].weight)  # claim: named-ones-are-the-files
assert messages == []  # claim: nothing-is-warned-of
assert result.missing_keys == ["head.weight", "head.bias"]  # claim: the-result-names-them

# %% 7.1.2.2.1 statistics are values, too
file = {key: value for key, value in trained.state_dict().items() if "running" not in key}
net, x = Net(), torch.randn(64, 2) + 5
net.load_state_dict(file, strict=False)
with torch.no_grad():
    in_training = [copy.deepcopy(each).train()(x) for each in (net, trained)]
    in_eval = [copy.deepcopy(each).eval()(x) for each in (net, trained)]
differences = [(a - b).abs().max().item() for a, b in (in_training, in_eval)]
print(differences[0], differences[1] > 0.1)
# > 0.0 True
assert differences[0] == 0  # claim: in-training-nothing-shows
assert differences[1] > 0.1  # claim: in-eval-it-differs


# %% 7.1.2.2.1 missing by name, and loaded all the same
class Tied(nn.Module):
    """An embedding whose table is the output layer's weight as well."""

    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Embedding(4, 3), nn.Linear(3, 4, bias=False)
        self.out.weight = self.embed.weight


tied = Tied()
result = tied.load_state_dict({"embed.weight": torch.full((4, 3), 7.0)}, strict=False)
print(result.missing_keys, tied.out.weight[0].tolist())
# > ['out.weight'] [7.0, 7.0, 7.0]
assert result.missing_keys == ["out.weight"]  # claim: the-other-name-is-missing
assert (tied.out.weight == 7).all()  # claim: its-tensor-is-loaded

# %% 7.1.2.2.2 compared before it is loaded
old, new = Net(2), Net(3)
file = old.state_dict()
unfit = [key for key, value in new.state_dict().items() if file[key].shape != value.shape]
print(unfit)
# > ['head.weight', 'head.bias']
assert unfit == ["head.weight", "head.bias"]  # claim: shapes-can-be-compared-before
message = refusal(lambda: new.load_state_dict(file, strict=False))
print("size mismatch" in message)
# > True
assert "size mismatch for head.weight" in message  # claim: a-shape-is-refused-even-so
assert torch.equal(new.body[0].weight, old.body[0].weight)  # claim: an-error-leaves-it-half-loaded


# %% 7.1.2.2.2 a vocabulary that has grown
def grown(table, count):
    """Return a table of more rows; the new ones begin at the mean of the old."""
    return torch.cat([table, table.mean(0).expand(count - len(table), -1)])


words, more = nn.Embedding(5, 3), nn.Embedding(8, 3)
more.load_state_dict({"weight": grown(words.weight.detach(), 8)})
known = torch.tensor([0, 4])
assert torch.equal(more(known), words(known))  # claim: old-words-keep-their-rows
centre = words.weight.mean(0)
assert torch.allclose(more.weight[5:], centre.expand(3, -1))  # claim: new-words-start-at-the-mean

# %% 7.1.2.2.2 one channel instead of three
colour, grey = nn.Conv2d(3, 4, 3), nn.Conv2d(1, 4, 3)
image, weight = torch.rand(1, 1, 8, 8), colour.weight.detach()
bias = colour.bias.detach()


def response(kernel):
    """Return what the grey layer answers with such a kernel, without the bias."""
    grey.load_state_dict({"weight": kernel, "bias": bias})
    return grey(image) - bias.view(-1, 1, 1)


wanted = colour(image.expand(-1, 3, -1, -1)) - bias.view(-1, 1, 1)
by_sum, by_mean = response(weight.sum(1, keepdim=True)), response(weight.mean(1, keepdim=True))
print([round((answer / wanted).median().item(), 3) for answer in (by_sum, by_mean)])
# > [1.0, 0.333]
assert torch.allclose(by_sum, wanted, atol=1e-5)  # claim: the-sum-answers-alike
assert torch.allclose(3 * by_mean, wanted, atol=1e-5)  # claim: the-mean-does-not

# %% 7.1.2.2.2 positions in between
positions = torch.randn(1, 3, 8)  # batch, channels, positions
longer = F.interpolate(positions, size=15, mode="linear", align_corners=True)
print(longer.shape)
# > torch.Size([1, 3, 15])
assert torch.allclose(longer[..., ::2], positions, atol=1e-6)  # claim: old-positions-stay
other = F.interpolate(positions, size=16, mode="linear", align_corners=True)
distances = (other[..., None] - positions[..., None, :]).abs().amax(1).amin(-1)
print((distances < 1e-6).nonzero()[:, 1].tolist())
# > [0, 15]
assert (distances < 1e-6).sum() == 2  # claim: of-sixteen-only-the-ends


# %% 7.1.2.2.3 three layers become one
class Old(nn.Module):
    """Attention with a layer for each projection."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        return F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x))


class New(nn.Module):
    """The same with one layer for all."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)

    def forward(self, x):
        return F.scaled_dot_product_attention(*self.qkv(x).chunk(3, dim=-1))


def converted(file, order):
    """Return the new form of an old file."""
    parts = ("weight", "bias")
    return {f"qkv.{part}": torch.cat([file[f"{name}.{part}"] for name in order]) for part in parts}


# %% 7.1.2.2.3 the numbers decide, not the names
old, x = Old(), torch.randn(1, 3, 4)
differences = []
for order in ("qkv", "kqv"):
    new = New()
    print(new.load_state_dict(converted(old.state_dict(), order)))
    differences.append((new(x) - old(x)).abs().max().item())
# > <All keys matched successfully>
# > <All keys matched successfully>
assert differences[0] < 1e-5  # claim: converted-it-computes-the-same
assert differences[1] > 1e-3  # claim: a-wrong-order-loads-and-differs


# %% 7.1.2.2.3 a module that converts its own files
def convert(module, state, prefix, *rest):
    """Bring an old entry to the new form, wherever the module stands."""
    if f"{prefix}q.weight" in state:
        for part in ("weight", "bias"):
            rows = [state.pop(f"{prefix}{name}.{part}") for name in "qkv"]
            state[f"{prefix}qkv.{part}"] = torch.cat(rows)


def model(attention):
    """Put an attention into a larger model."""
    return nn.Sequential(nn.Linear(4, 4), attention)


def current():
    """Build today's model, which reads files of both forms."""
    attention = New()
    attention.register_load_state_dict_pre_hook(convert)
    return model(attention)


before, after, again = model(Old()), current(), current()
file = before.state_dict()
print(after.load_state_dict(file), again.load_state_dict(after.state_dict()))
# > <All keys matched successfully> <All keys matched successfully>
assert torch.allclose(after(x), before(x), atol=1e-5)  # claim: the-hook-is-told-the-prefix
assert torch.equal(again(x), after(x))  # claim: new-files-load-as-they-are
assert "1.q.weight" in file  # claim: the-callers-dict-is-untouched


# %% 7.1.2.2.3 same names, another meaning
class Scale(nn.Module):
    """A factor; version 1 stored its logarithm under the same name."""

    _version = 2

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))

    def _load_from_state_dict(self, state, prefix, metadata, *rest):
        if metadata.get("version", 1) < 2:
            state[f"{prefix}scale"] = state[f"{prefix}scale"].exp()
        super()._load_from_state_dict(state, prefix, metadata, *rest)


def loaded(file):
    """Return the factor that a module has after loading."""
    module = Scale()
    module.load_state_dict(file)
    return round(module.scale.item(), 2)


first = OrderedDict(scale=torch.zeros(1))
first._metadata = OrderedDict({"": {"version": 1}})
second = Scale().state_dict()
print(loaded(first), loaded(second), loaded(dict(second)))
# > 1.0 1.0 2.72
assert loaded(first) == 1  # claim: the-version-says-convert
assert loaded(second) == 1  # claim: or-leave-it
assert loaded(dict(second)) == 2.72  # claim: a-plain-dict-has-lost-its-version

# %% 7.1.2.2.4 into the part, with strict on
source = nn.ModuleDict({"backbone": nn.Linear(2, 4), "classifier": nn.Linear(4, 100)})
target = nn.ModuleDict({"encoder": nn.Linear(2, 4), "head": nn.Linear(4, 3)})
file = source.state_dict()


def part(prefix):
    """Return the entries of the file below a prefix, without it."""
    return {k.removeprefix(prefix): v for k, v in file.items() if k.startswith(prefix)}


result = target.load_state_dict(file, strict=False)
num_loaded = len(target.state_dict()) - len(result.missing_keys)
print(num_loaded)
# > 0
assert num_loaded == 0  # claim: lax-it-loads-nothing
message = refusal(lambda: target["encoder"].load_state_dict(part("backbones.")))
assert "Missing key(s)" in message  # claim: strict-notices-a-wrong-prefix
target["encoder"].load_state_dict(part("backbone."))
assert torch.equal(target["encoder"].weight, file["backbone.weight"])  # claim: the-part-is-loaded

# %% 7.1.2.2.4 all keys matched, and no value arrived
file = nn.Linear(2, 2).state_dict()
with torch.device("meta"):
    empty = nn.Linear(2, 2)
result, messages = noted(lambda: empty.load_state_dict(file))
print(result, empty.weight.device)
# > <All keys matched successfully> meta
assert empty.weight.is_meta  # claim: matched-keys-prove-no-values
assert any("no-op" in each for each in messages)  # claim: a-warning-says-so
other = copy.deepcopy(empty).to_empty(device="cpu")
other.load_state_dict(file)
given = not other.weight.is_meta and torch.equal(other.weight, file["weight"])
assert given  # claim: memory-first-will-do
empty.load_state_dict(file, assign=True)
assert empty.weight is not file["weight"]  # claim: it-is-a-new-parameter
assert torch.equal(empty.weight, file["weight"])  # claim: assign-fills-an-empty-model

# %% 7.1.2.2.4 an optimizer that came too early
layer = nn.Linear(1, 1, bias=False)
early = torch.optim.SGD(layer.parameters(), lr=1.0)
layer.load_state_dict({"weight": torch.ones(1, 1)}, assign=True)
layer(torch.ones(1)).backward()
early.step()
after_early = layer.weight.item()
torch.optim.SGD(layer.parameters(), lr=1.0).step()
print(after_early, layer.weight.item())
# > 1.0 0.0
assert after_early == 1  # claim: the-early-one-moves-nothing
assert layer.weight.item() == 0  # claim: a-later-one-does

# %% 7.1.2.2.4 the file remembers assign
file = nn.Linear(2, 2).state_dict()
first, second, third = (nn.Linear(2, 2) for _ in range(3))
first.load_state_dict(file, assign=True)
second.load_state_dict(file)  # nothing is said of assign
third.load_state_dict(dict(file))
pointers = [each.weight.data_ptr() == file["weight"].data_ptr() for each in (first, second, third)]
print(pointers)
# > [True, True, False]
assert pointers[1]  # claim: the-next-load-assigns-too
assert not pointers[2]  # claim: a-plain-dict-forgets-it
with torch.no_grad():
    first.weight.zero_()
assert (second.weight == 0).all()  # claim: both-models-share-the-weight

# %% 7.1.2.2.4 frozen before, frozen after
file = nn.Linear(2, 2).state_dict()
frozen = nn.Linear(2, 2).half().requires_grad_(False)
frozen.load_state_dict(file)
print(frozen.weight.dtype, frozen.weight.requires_grad)
# > torch.float16 False
assert frozen.weight.dtype == torch.float16  # claim: a-copy-keeps-the-models-dtype
frozen.load_state_dict(file, assign=True)
print(frozen.weight.dtype, frozen.weight.requires_grad)
# > torch.float32 False
assert frozen.weight.dtype == torch.float32  # claim: assign-takes-the-files
assert not frozen.weight.requires_grad  # claim: frozen-stays-frozen
