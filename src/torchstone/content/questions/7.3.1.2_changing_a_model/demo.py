# %% setup
import torch
from torch import nn
from torch.optim import SGD, AdamW

torch.manual_seed(0)


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except RuntimeError as error:
        return str(error)
    return ""


class Network(nn.Module):
    """A small classifier of images: a body of two convolutions, a mean over places, a head."""

    def __init__(self, classes=5):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 8, 3), nn.ReLU())
        self.head = nn.Linear(8, classes)

    def forward(self, x):
        """Compute the scores of the classes."""
        return self.head(self.body(x).mean(dim=(2, 3)))


images = torch.randn(2, 3, 6, 6)

# %% 7.3.1.2.1 a new layer under the old name
model = Network()
kept = model.body[0].weight
model.head = nn.Linear(model.head.in_features, 3)
print(tuple(model(images).shape), [name for name, _ in model.named_children()])
# > (2, 3) ['body', 'head']
assert model(images).shape == (2, 3)  # claim: forward-calls-the-new-head
assert any(p is model.head.weight for p in model.parameters())  # claim: new-head-is-registered
assert model.body[0].weight is kept  # claim: body-is-the-same-object

# %% 7.3.1.2.1 an optimizer from before
model = Network()
early = SGD(model.parameters(), lr=0.1)
model.head = nn.Linear(8, 3)
before = model.head.weight.detach().clone()
model(images).square().sum().backward()
early.step()
assert torch.equal(model.head.weight, before)  # claim: early-optimizer-misses-it
late = SGD(model.parameters(), lr=0.1)
late.step()
assert not torch.equal(model.head.weight, before)  # claim: late-optimizer-trains-it

# %% 7.3.1.2.1 an attribute is no size
model = Network()
model.head.out_features = 3
print(tuple(model(images).shape), model.head)
# > (2, 5) Linear(in_features=8, out_features=3, bias=True)
assert model(images).shape == (2, 5)  # claim: attribute-does-not-resize
assert "out_features=3" in repr(model.head)  # claim: printed-all-the-same

# %% 7.3.1.2.1 a new layer has the defaults
half = Network().bfloat16()
half.head = nn.Linear(8, 3)
message = refusal(lambda: half(images.bfloat16()))
assert half.head.bias.is_cpu and "same dtype" in message  # claim: new-layer-is-float32
half.head.to(half.body[0].weight)
assert not refusal(lambda: half(images.bfloat16()))  # claim: moved-to-the-body-it-runs

# %% 7.3.1.2.2 an identity in place of the head
model = Network()
features = model.body(images).mean(dim=(2, 3))
model.head = nn.Identity()
print(tuple(model(images).shape), list(model.state_dict())[-1])
# > (2, 8) body.2.bias
assert torch.equal(model(images), features)  # claim: identity-hands-the-features-out
assert not any(name.startswith("head") for name in model.state_dict())  # claim: identity-is-empty

# %% 7.3.1.2.2 a hook reads in passing
model = Network()
seen = []
handle = model.body[1].register_forward_hook(lambda module, args, output: seen.append(output))
scores = model(images)
print(tuple(seen[0].shape), tuple(scores.shape))
# > (2, 4, 4, 4) (2, 5)
assert seen[0].shape == (2, 4, 4, 4) and scores.shape == (2, 5)  # claim: hook-reads-in-passing
assert seen[0].grad_fn is not None  # claim: kept-output-keeps-its-graph
handle.remove()
model(images)
assert len(seen) == 1  # claim: removed-hook-is-silent

# %% 7.3.1.2.2 the children are not the model
chain = nn.Sequential(*model.children())
message = refusal(lambda: chain(images))
print(message)
# > mat1 and mat2 shapes cannot be multiplied (32x2 and 8x5)
assert "cannot be multiplied" in message  # claim: forward-code-is-lost
assert chain[1] is model.head  # claim: children-are-shared

# %% 7.3.1.2.2 a slice, and a deletion
names = list(model.body.state_dict())
front = model.body[:3]
assert front[0] is model.body[0]  # claim: slice-shares-the-layers
del model.body[1]
print(names, list(model.body.state_dict()))
# > ['0.weight', '0.bias', '2.weight', '2.bias'] ['0.weight', '0.bias', '1.weight', '1.bias']
assert "1.weight" in model.body.state_dict()  # claim: deletion-renumbers


# %% 7.3.1.2.3 a row for the new token
class Language(nn.Module):
    """A model of ten tokens whose head and embedding are one tensor."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        self.body = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
        self.head = nn.Linear(8, 10, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        """Compute the scores of the next token."""
        return self.head(self.body(self.embedding(tokens)))


torch.manual_seed(0)
model, tokens = Language(), torch.tensor([1, 4, 7])
before, old = model(tokens), model.embedding.weight.detach()
rows = torch.cat([old, old.mean(dim=0, keepdim=True)])
model.embedding = nn.Embedding.from_pretrained(rows, freeze=False)
assert torch.equal(model.embedding.weight[:10], old)  # claim: old-rows-are-copied
assert model.embedding.weight.requires_grad  # claim: new-table-is-trained
assert not nn.Embedding.from_pretrained(rows).weight.requires_grad  # claim: frozen-by-default

# %% 7.3.1.2.3 the tie is cut
print(tuple(model(tokens).shape), model.head.weight is model.embedding.weight)
# > (3, 10) False
assert model.head.weight is not model.embedding.weight  # claim: a-new-table-cuts-the-tie
assert model(tokens).shape == (3, 10)  # claim: head-cannot-say-it
model.head.weight = model.embedding.weight
after = model(tokens)
print(tuple(after.shape))
# > (3, 11)
assert torch.allclose(after[:, :10], before)  # claim: old-scores-stay

# %% 7.3.1.2.3 where the new row starts
mean_score = before.mean(dim=-1)
assert torch.allclose(after[:, 10], mean_score, atol=1e-6)  # claim: mean-row-scores-the-mean
shares = after.softmax(dim=-1)
print(f"{shares[:, 10].max():.3f} < {1 / 11:.3f}")
# > 0.046 < 0.091
assert (shares[:, 10] < 1 / 11).all()  # claim: mean-row-takes-little
assert (shares[:, :10] < before.softmax(dim=-1)).all()  # claim: old-shares-shrink


# %% 7.3.1.2.3 the old rows held still
def train_new_rows(decay):
    """Train with the gradient of the old rows set to zero; return the table before and after."""
    table = nn.Embedding.from_pretrained(rows.clone(), freeze=False)
    table.weight.register_hook(lambda grad: grad * (torch.arange(11) >= 10)[:, None])
    optimizer = AdamW(table.parameters(), lr=0.1, weight_decay=decay)
    table(torch.arange(11)).square().sum().backward()
    optimizer.step()
    return rows, table.weight.detach()


start, end = train_new_rows(decay=0.0)
assert torch.equal(start[:10], end[:10]) and not torch.equal(start, end)  # claim: masked-rows-stay
start, end = train_new_rows(decay=0.01)
print(f"{(end[:10] / start[:10]).mean():.3f}")
# > 0.999
assert (end[:10].abs() < start[:10].abs()).all()  # claim: decay-moves-them-all-the-same

# %% 7.3.1.2.4 a fourth channel that starts at zero
torch.manual_seed(0)
model = Network()
expected = model(images)
wide = nn.Conv2d(4, 4, 3)
with torch.no_grad():
    wide.weight.zero_()
    wide.weight[:, :3] = model.body[0].weight
    wide.bias.copy_(model.body[0].bias)
model.body[0] = wide
grown = model(torch.cat([images, torch.randn(2, 1, 6, 6)], dim=1))
assert torch.allclose(grown, expected, atol=1e-6)  # claim: zero-channel-changes-nothing
grown.square().sum().backward()
print((wide.weight.grad[:, 3].abs().sum(dim=(1, 2)) > 0).sum().item(), "of 4 filters")
# > 4 of 4 filters
assert (wide.weight.grad[:, 3] != 0).any()  # claim: zero-channel-has-a-gradient


# %% 7.3.1.2.4 twice the units
def double(small, shift=0.0):
    """Return a network with every hidden unit twice; a shift makes the shares of twins uneven."""
    large = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
    halves = [small[2].weight / 2 + shift, small[2].weight / 2 - shift]
    with torch.no_grad():
        large[0].weight.copy_(small[0].weight.repeat(2, 1))
        large[0].bias.copy_(small[0].bias.repeat(2))
        large[2].weight.copy_(torch.cat(halves, dim=1))
        large[2].bias.copy_(small[2].bias)
    return large


small, x = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)), torch.randn(16, 4)
even, uneven = double(small), double(small, shift=0.1)
assert torch.allclose(even(x), small(x), atol=1e-6)  # claim: halved-twins-compute-the-same
assert torch.allclose(uneven(x), small(x), atol=1e-6)  # claim: uneven-shares-do-too
for large in (even, uneven):
    (large(x) - x[:, :2]).square().mean().backward()
apart = [(g[:3] - g[3:]).abs().max().item() for g in (even[0].weight.grad, uneven[0].weight.grad)]
print([f"{value:.3f}" for value in apart])
# > ['0.000', '0.204']
assert apart[0] < 1e-6  # claim: twins-have-equal-gradients
assert apart[1] > 1e-3  # claim: uneven-twins-part


# %% 7.3.1.2.4 a block that adds nothing
def gradients(*zeroed):
    """Return a block's sum with its input, and which weights get a gradient; some are zeroed."""
    block = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
    for place in zeroed:
        nn.init.zeros_(block[place].weight)
        nn.init.zeros_(block[place].bias)
    output = x + block(x)
    output.square().sum().backward()
    return output, [bool((block[place].weight.grad != 0).any()) for place in (0, 2)]


output, moves = gradients(2)
print(moves, gradients(0, 2)[1])
# > [False, True] [False, False]
assert torch.equal(output, x)  # claim: zero-last-layer-adds-nothing
assert moves == [False, True]  # claim: last-layer-learns-first
assert gradients(0, 2)[1] == [False, False]  # claim: two-zeros-are-stuck
