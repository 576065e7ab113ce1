# %% setup
import copy
import io

import torch
from torch import nn
from torch.optim import SGD, Adam
from torch.optim.lr_scheduler import LambdaLR, StepLR

torch.manual_seed(0)


def refusal(call):
    """Return the kind and message of the error that a call raises; nothing when it raises none."""
    try:
        call()
    except (RuntimeError, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def train(model, optimizer, steps=1):
    """Compute some steps toward a fixed target; return the losses."""
    x, losses = torch.linspace(-1, 1, 12).view(4, 3), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (model(x) - 1).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% 6.1.2.2.1 two parts
model = nn.Linear(3, 2)
optimizer = Adam(model.parameters(), lr=0.1)
assert optimizer.state_dict()["state"] == {}  # claim: empty-before-the-first-step
train(model, optimizer)
saved = optimizer.state_dict()
print(list(saved), list(saved["state"][0]), saved["param_groups"][0]["params"])
# > ['state', 'param_groups'] ['step', 'exp_avg', 'exp_avg_sq'] [0, 1]
assert list(saved) == ["state", "param_groups"]  # claim: two-parts
assert saved["param_groups"][0]["params"] == [0, 1]  # claim: numbers-for-parameters
assert saved["param_groups"][0]["lr"] == 0.1  # claim: options-are-in-it
values = [value for state in saved["state"].values() for value in state.values()]
inside = any(torch.equal(value, p) for value in values for p in model.parameters())
assert not inside  # claim: no-weights-inside

# %% 6.1.2.2.1 no snapshot
before = saved["state"][0]["exp_avg"].clone()
train(model, optimizer)
optimizer.param_groups[0]["lr"] = 0.5
own = saved["state"][0] is optimizer.state[model.weight]
assert own and not torch.equal(saved["state"][0]["exp_avg"], before)  # claim: tensors-are-shared
assert saved["param_groups"][0]["lr"] == 0.1  # claim: options-are-copied
snapshot = copy.deepcopy(optimizer.state_dict())
before = snapshot["state"][0]["exp_avg"].clone()
train(model, optimizer)
assert torch.equal(snapshot["state"][0]["exp_avg"], before)  # claim: deepcopy-is-one

# %% 6.1.2.2.1 who has an entry
partly = nn.ModuleList([nn.Linear(3, 2), nn.Linear(3, 2)])
optimizer = Adam(partly.parameters())
train(partly[1], optimizer)
print(list(optimizer.state_dict()["state"]))
# > [2, 3]
assert list(optimizer.state_dict()["state"]) == [2, 3]  # claim: only-after-a-gradient
plain = SGD(partly.parameters(), lr=0.1)
train(partly[1], plain)
assert plain.state_dict()["state"] == {}  # claim: plain-sgd-has-none


# %% 6.1.2.2.2 to a file and back
def stored(optimizer):
    """Return what comes back when an optimizer's state is written and read."""
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    return torch.load(file, weights_only=True)


model = nn.Linear(3, 2)
optimizer = Adam(model.parameters(), lr=0.1)
train(model, optimizer, steps=5)
twin = copy.deepcopy(model)
resumed = Adam(twin.parameters(), lr=0.001)
resumed.load_state_dict(stored(optimizer))
assert resumed.param_groups[0]["lr"] == 0.1  # claim: options-come-from-the-file
assert train(twin, resumed, 3) == train(model, optimizer, 3)  # claim: goes-on-alike
half = copy.deepcopy(model).bfloat16()
low = Adam(half.parameters())
low.load_state_dict(optimizer.state_dict())
kinds = [low.state[half.weight][key].dtype for key in ("exp_avg", "step")]
assert kinds == [torch.bfloat16, torch.float32]  # claim: cast-to-the-parameter

# %% 6.1.2.2.2 by place, not by name
pair = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Linear(3, 3)})
one = Adam([*pair["a"].named_parameters("a"), *pair["b"].named_parameters("b")])
train(pair["a"], one)
two = Adam([*pair["b"].named_parameters("b"), *pair["a"].named_parameters("a")])
two.load_state_dict(one.state_dict())
landed = two.state[pair["b"].weight] == one.state[pair["a"].weight]
assert landed  # claim: a-state-for-the-wrong-layer
assert two.param_groups[0]["param_names"][0] == "a.weight"  # claim: names-are-not-compared
turned = Adam([pair["a"].bias, pair["a"].weight])
one = Adam(pair["a"].parameters())
train(pair["a"], one)
assert not refusal(
    lambda: turned.load_state_dict(one.state_dict())
)  # claim: shapes-are-not-checked
assert "shape" in refusal(lambda: train(pair["a"], turned))  # claim: fails-at-the-step
message = refusal(lambda: two.load_state_dict(one.state_dict()))
assert "doesn't match the size" in message  # claim: counts-are-checked

# %% 6.1.2.2.2 loaded, and still shared
first, second = nn.Linear(3, 2), nn.Linear(3, 2)
source, target = Adam(first.parameters()), Adam(second.parameters())
train(first, source)
target.load_state_dict(source.state_dict())
mine, theirs = target.state[second.weight]["exp_avg"], source.state[first.weight]["exp_avg"]
assert mine.data_ptr() == theirs.data_ptr()  # claim: loading-shares-the-tensors
target.load_state_dict(copy.deepcopy(source.state_dict()))
mine = target.state[second.weight]["exp_avg"]
assert mine.data_ptr() != theirs.data_ptr()  # claim: a-copy-first-parts-them


# %% 6.1.2.2.3 resumed with it, and without
def resume(kind, with_state, **options):
    """Compute the losses of an interrupted run, and of one that was not interrupted."""
    torch.manual_seed(0)
    model = nn.Linear(3, 2)
    optimizer = kind(model.parameters(), **options)
    train(model, optimizer, 100)
    after = copy.deepcopy(model)
    again = kind(after.parameters(), **options)
    if with_state:
        again.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    return train(after, again, 20), train(model, optimizer, 20)


broken, whole = resume(Adam, with_state=True, lr=0.05)
assert broken == whole  # claim: with-it-nothing-changes
broken, whole = resume(Adam, with_state=False, lr=0.05)
print(f"{max(broken):.1e} {max(whole):.1e}")
# > 7.7e-03 1.7e-05
assert broken[0] == whole[0]  # claim: weights-are-the-same
assert max(broken) > 200 * max(whole)  # claim: without-it-the-loss-jumps


# %% 6.1.2.2.3 a step of full length
def first_move(with_state):
    """Compute the least and the greatest move of a weight in the first step, and the count."""
    torch.manual_seed(0)
    model = nn.Linear(3, 2)
    optimizer = Adam(model.parameters(), lr=0.05)
    train(model, optimizer, 100)
    again = Adam(model.parameters(), lr=0.05)
    if with_state:
        again.load_state_dict(optimizer.state_dict())
    before = model.weight.detach().clone()
    train(model, again)
    moves = (model.weight - before).abs()
    return moves.min().item(), moves.max().item(), again.state[model.weight]["step"].item()


kept, lost = first_move(True), first_move(False)
print(f"{kept[1]:.1e} {lost[0]:.1e}, step {kept[2]:.0f} {lost[2]:.0f}")
# > 9.6e-05 5.0e-02, step 101 1
assert kept[1] < 1e-4  # claim: near-the-goal-steps-are-small
assert 0.049 < lost[0] <= lost[1] < 0.051  # claim: without-it-the-first-is-lr
assert (kept[2], lost[2]) == (101, 1)  # claim: the-count-is-part-of-it


# %% 6.1.2.2.3 the schedule is kept elsewhere
def build():
    """Return a model, its optimizer, and a scheduler that halves the rate at each step."""
    model = nn.Linear(3, 2)
    optimizer = SGD(model.parameters(), lr=1.0, momentum=0.9)
    return model, optimizer, LambdaLR(optimizer, lambda epoch: 0.5**epoch)


model, optimizer, scheduler = build()
for _ in range(3):
    train(model, optimizer)
    scheduler.step()
_, half_resumed, _ = build()
half_resumed.load_state_dict(optimizer.state_dict())
anew = StepLR(half_resumed, 10)
left = half_resumed.param_groups[0]["lr"], anew.last_epoch
LambdaLR(half_resumed, lambda epoch: 0.5**epoch)  # built anew, and not loaded
_, resumed, schedule = build()
resumed.load_state_dict(optimizer.state_dict())
schedule.load_state_dict(scheduler.state_dict())
rates = [each.param_groups[0]["lr"] for each in (optimizer, half_resumed, resumed)]
print(rates)
# > [0.125, 1.0, 0.125]
assert rates[1] == 1.0 and left == (0.125, 0)  # claim: a-new-scheduler-starts-over
resumed.step()
schedule.step()
assert resumed.param_groups[0]["lr"] == 0.0625  # claim: both-loaded-go-on


# %% 6.1.2.2.4 what zero_grad leaves
def coast(forget):
    """Compute where a parameter goes when its gradients are zero after two steps."""
    p = torch.zeros(1, requires_grad=True)
    optimizer = SGD([p], lr=0.1, momentum=0.9)
    for gradient in (1.0, 1.0, 0.0, 0.0, 0.0):
        if gradient == 0:
            forget(optimizer)
        p.grad = torch.tensor([gradient])
        optimizer.step()
    return round(p.item(), 4)


kept, zeroed = coast(lambda optimizer: None), coast(lambda optimizer: optimizer.zero_grad())
cleared = coast(lambda optimizer: optimizer.state.clear())
print(kept, zeroed, cleared)
# > -0.7534 -0.7534 -0.29
assert zeroed == kept  # claim: zero-grad-keeps-momentum
assert cleared == -0.29  # claim: clear-forgets-it

# %% 6.1.2.2.4 for one parameter, and for all
model = nn.Linear(3, 2)
optimizer = Adam(model.parameters(), lr=0.1)
train(model, optimizer, 5)
optimizer.state.pop(model.bias)
train(model, optimizer)
steps = [optimizer.state[p]["step"].item() for p in (model.weight, model.bias)]
print(steps)
# > [6.0, 1.0]
assert steps == [6.0, 1.0]  # claim: one-can-be-forgotten
optimizer.state.clear()
before = model.weight.detach().clone()
train(model, optimizer)
assert abs((model.weight - before).abs().max() - 0.1) < 1e-4  # claim: correction-starts-again
optimizer.state = {}
assert "KeyError" in refusal(lambda: train(model, optimizer))  # claim: a-plain-dict-breaks-it

# %% 6.1.2.2.4 a new optimizer, and who holds the old one
model, optimizer, scheduler = nn.Linear(3, 2), None, None
optimizer = SGD(model.parameters(), lr=1.0, momentum=0.9)
scheduler = LambdaLR(optimizer, lambda epoch: 0.5**epoch)
fresh = SGD(model.parameters(), lr=1.0, momentum=0.9)
train(model, fresh)
optimizer.step()
scheduler.step()
rates = optimizer.param_groups[0]["lr"], fresh.param_groups[0]["lr"]
print(rates)
# > (0.5, 1.0)
assert rates == (0.5, 1.0)  # claim: scheduler-keeps-the-old-one

# %% 6.1.2.2.4 a parameter that was replaced
model = nn.Linear(3, 2)
optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
train(model, optimizer)
model.weight = nn.Parameter(torch.zeros(2, 3))
train(model, optimizer, 3)
assert model.weight.abs().sum() == 0  # claim: the-new-one-is-not-trained
assert len(optimizer.state) == 2  # claim: the-old-state-stays
