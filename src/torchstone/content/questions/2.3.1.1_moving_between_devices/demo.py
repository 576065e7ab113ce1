# %% setup
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map
from torch.utils.data import DataLoader

# No GPU is needed: a fake tensor has a device, a shape and a dtype, and no data.
fake = FakeTensorMode()


def refusal(call):
    """Give the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (RuntimeError, ValueError, TypeError, AttributeError) as error:
        return str(error)
    return ""


# %% 2.3.1.1.1 a copy, and the original stays
with fake:
    x = torch.ones(3)
    y = x.to("cuda:0")
    x.to("cuda:1")
    z = torch.zeros(3, device="cuda:0")
print(x.device, y.device, z.device)
# > cpu cuda:0 cuda:0
assert y.device == torch.device("cuda", 0)  # claim: result-is-there
assert x.device == torch.device("cpu")  # claim: original-stays
assert z.device == torch.device("cuda", 0)  # claim: created-there

# %% 2.3.1.1.1 nothing to do, nothing done
x = torch.ones(3)
same = x.to("cpu")
copied = x.to("cpu", copy=True)
assert same is x  # claim: already-there-is-itself
x[0] = 7
assert copied[0] == 1  # claim: copy-can-be-forced

# %% 2.3.1.1.1 what autograd sees
w = torch.ones(3, requires_grad=True)
moved = w.to("meta")
assert "ToCopy" in type(moved.grad_fn).__name__  # claim: copy-is-recorded
assert "non-leaf" in refusal(lambda: torch.optim.SGD([moved], lr=0.1))  # claim: no-leaf
assert "Use Tensor.cpu()" in refusal(moved.detach().numpy)  # claim: numpy-wants-the-cpu
made_there = torch.ones(3, device="meta", requires_grad=True)
assert made_there.is_leaf  # claim: made-there-is-a-leaf

# %% 2.3.1.1.2 one method for every place
with fake:
    x = torch.ones(3)
    places = [str(x.to(where).device) for where in ("cpu", "cuda:0", "cuda:1")]
    like = x.to(torch.zeros(1, dtype=torch.float64, device="cuda:1"))
assert places == ["cpu", "cuda:0", "cuda:1"]  # claim: to-takes-any-device
assert (like.dtype, like.device.index) == (torch.float64, 1)  # claim: to-follows-a-tensor
x = torch.ones(3)
assert x.to("cpu", torch.float16).dtype == torch.float16  # claim: to-takes-a-dtype
assert "must be cuda" in refusal(lambda: x.cuda("cpu"))  # claim: cuda-refuses-another
assert "positional" in refusal(lambda: x.cpu(torch.float16))  # claim: cpu-takes-no-dtype

# %% 2.3.1.1.2 a module moves, a tensor is copied
layer = nn.Linear(2, 2)
moved = layer.to("meta")
assert moved is layer and layer.weight.is_meta  # claim: module-moves-in-place
weight = torch.ones(2)
weight.to("meta")
assert not weight.is_meta  # claim: tensor-does-not-move
assert torch.device("cuda").index is None  # claim: no-index-by-itself

# %% 2.3.1.1.3 who may meet whom
with fake:
    gpu = torch.zeros(3, device="cuda:0")
    mixed = refusal(lambda: gpu + torch.ones(3))
    one = refusal(lambda: gpu + torch.ones(1))
    turned = refusal(lambda: torch.ones(3) + gpu.sum())
    other = refusal(lambda: gpu + torch.ones((), device="cuda:1"))
    result = gpu + torch.tensor(2.0)
print(mixed)
# > Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
assert "same device" in mixed  # claim: mixed-raises
assert "same device" in one  # claim: one-element-is-refused
assert "same device" in turned  # claim: number-on-the-gpu-is-refused
assert "same device" in other  # claim: two-gpus-are-refused
assert result.device == gpu.device  # claim: zero-d-cpu-is-allowed

# %% 2.3.1.1.3 what does cross
there = torch.zeros(2, device="meta")
assert there.copy_(torch.ones(2)).is_meta  # claim: copy-crosses
assert there[torch.tensor([1, 0])].is_meta  # claim: cpu-index-is-taken
layer = nn.Linear(2, 3, device="meta")
x = torch.ones(4, 2)
assert refusal(lambda: layer(x))  # claim: layer-refuses
there = x.to(layer.weight.device)
assert layer(there).shape == (4, 3)  # claim: moved-input-works


# %% 2.3.1.1.4 what model.to takes along
class Model(nn.Module):
    """Hold a tensor in each of the ways in which a module can."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.register_buffer("mean", torch.zeros(2))
        self.scale = torch.ones(2)
        self.heads = [nn.Linear(2, 1)]


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.to("meta")
assert model.layer.weight.is_meta and model.mean.is_meta  # claim: registered-tensors-move
assert not model.scale.is_meta  # claim: plain-tensor-stays
assert not model.heads[0].weight.is_meta  # claim: listed-module-stays
held = optimizer.param_groups[0]["params"][0]
assert held is not model.layer.weight  # claim: optimizer-holds-the-old

# %% 2.3.1.1.4 a batch and its containers
samples = [{"image": torch.zeros(2), "label": 1}] * 4
batch = next(iter(DataLoader(samples, batch_size=2)))
assert batch["image"].device.type == "cpu"  # claim: loader-leaves-it-on-the-cpu
assert "attribute 'to'" in refusal(lambda: batch.to("meta"))  # claim: dict-has-no-to
moved = tree_map(lambda each: each.to("meta"), batch)
assert all(each.is_meta for each in moved.values())  # claim: each-leaf-is-moved
