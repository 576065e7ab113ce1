# %% setup
import io
import warnings

import numpy as np
import torch
from torch import nn


def same_storage(a, b):
    """Tell whether two tensors stand on one storage."""
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except RuntimeError as error:
        return str(error)
    return ""


# %% 2.4.2.2.1 which results stand on the old storage
x = torch.arange(12.0).view(3, 4)
results = {
    "view": x.view(4, 3),
    "transpose": x.t(),
    "slice": x[1:],
    "expand": x[:, :1].expand(3, 4),
    "split": x.split(2, dim=1)[1],
    "detach": x.detach(),
    "list index": x[[0, 2]],
    "mask": x[x > 3],
    "clone": x.clone(),
    "repeat": x.repeat(2, 1),
}
shared = [name for name, result in results.items() if same_storage(x, result)]
print(shared)
# > ['view', 'transpose', 'slice', 'expand', 'split', 'detach']
assert shared == list(results)[:6]  # claim: numbers-alone-share
assert not same_storage(x, x[[0, 2]]) and not same_storage(x, x + 0)  # claim: lists-and-sums-copy

# %% 2.4.2.2.1 either, depending on the input
t = x.t()
seen, made = x.reshape(4, 3), t.reshape(12)
assert same_storage(x, seen) and not same_storage(t, made)  # claim: reshape-either
assert x.contiguous() is x and not same_storage(t, t.contiguous())  # claim: contiguous-either
assert x.to(torch.float32) is x and not same_storage(x, x.to(torch.float64))  # claim: to-either

# %% 2.4.2.2.1 beyond one tensor
array = np.zeros(3, dtype=np.float32)
wrapped, copied = torch.from_numpy(array), torch.tensor(array)
array[0] = 7
print(wrapped, copied)
# > tensor([7., 0., 0.]) tensor([0., 0., 0.])
assert wrapped[0] == 7 and copied[0] == 0  # claim: numpy-is-shared-or-copied
layer = nn.Linear(2, 2)
snapshot = layer.state_dict()
with torch.no_grad():
    layer.weight.zero_()
assert snapshot["weight"].count_nonzero() == 0  # claim: a-state-dict-is-no-snapshot

# %% 2.4.2.2.1 saved and loaded
table = torch.zeros(1000)
both, one = io.BytesIO(), io.BytesIO()
torch.save([table, table[:5]], both)
torch.save(table[:5].clone(), one)
both.seek(0)
whole, part = torch.load(both)
part[0] = 7
print(whole[0].item(), table.nbytes)
# > 7.0 4000
assert whole[0] == 7  # claim: saving-keeps-the-sharing
alone = io.BytesIO()
torch.save(table[:5], alone)
assert alone.getbuffer().nbytes > table.nbytes  # claim: a-slice-saves-the-whole
assert one.getbuffer().nbytes < table.nbytes  # claim: a-clone-saves-its-own

# %% 2.4.2.2.2 bytes without a shape
x = torch.arange(6, dtype=torch.float32).view(2, 3)
storage = x.untyped_storage()
print(type(storage).__name__, storage.nbytes(), len(x[0].untyped_storage()))
# > UntypedStorage 24 24
assert storage.nbytes() == 24  # claim: a-storage-counts-bytes
assert not hasattr(storage, "shape") and not hasattr(storage, "stride")  # claim: it-has-no-shape
assert x[0].untyped_storage().nbytes() == 24  # claim: a-row-has-the-whole-storage
print(list(storage[4:8]))
# > [0, 0, 128, 63]
assert list(storage[4:8]) == [0, 0, 128, 63]  # claim: one-is-four-bytes

# %% 2.4.2.2.2 the old name warns
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    old = x.storage()
message = str(said[0].message) if said else ""
print(type(old).__name__, "TypedStorage is deprecated" in message)
# > TypedStorage True
assert "TypedStorage is deprecated" in message  # claim: the-old-name-warns

# %% 2.4.2.2.2 another tensor on it
other = torch.empty(0).set_(storage, 1, (2, 2), (2, 1))
other[0, 0] = 100
print(other, x)
# > tensor([[100.,   2.],
# >         [  3.,   4.]]) tensor([[  0., 100.,   2.],
# >         [  3.,   4.,   5.]])
assert x[0, 1] == 100  # claim: set-builds-on-it
assert same_storage(x, other) and other.stride() == (2, 1)  # claim: with-strides-of-its-own
raw = x.view(torch.int32)
assert same_storage(raw, x) and raw[0, 2] == 0x40000000  # claim: other-dtype-same-bytes

# %% 2.4.2.2.2 memory without the tensor
weight = torch.ones(1000)
full = weight.clone()
weight.untyped_storage().resize_(0)
print(weight.shape, weight.untyped_storage().nbytes())
# > torch.Size([1000]) 0
assert weight.untyped_storage().nbytes() == 0  # claim: bytes-can-go
assert weight.shape == (1000,)  # claim: the-shape-stays
weight.untyped_storage().resize_(full.nbytes)
weight.copy_(full)
assert weight.sum() == 1000  # claim: and-come-back

# %% 2.4.2.2.3 windows that overlap
x = torch.arange(6.0)
windows = x.as_strided((4, 3), (1, 1))
print(windows)
# > tensor([[0., 1., 2.],
# >         [1., 2., 3.],
# >         [2., 3., 4.],
# >         [3., 4., 5.]])
assert torch.equal(windows, x.unfold(0, 3, 1))  # claim: steps-make-windows
assert same_storage(x, windows) and windows.numel() == 12 > x.numel()  # claim: no-byte-moves
address = [[x[0 + i * 1 + j * 1].item() for j in range(3)] for i in range(4)]
assert windows.tolist() == address  # claim: offset-plus-index-times-stride
square = torch.zeros(3, 3)
square.as_strided((3,), (4,)).fill_(1)
assert torch.equal(square, torch.eye(3))  # claim: a-step-of-n-plus-one-is-the-diagonal

# %% 2.4.2.2.3 it looks at the storage, not at the view
row = torch.arange(6.0).view(2, 3)[1]
print(row, row.as_strided((2,), (1,)), row.as_strided((6,), (1,), 0))
# > tensor([3., 4., 5.]) tensor([3., 4.]) tensor([0., 1., 2., 3., 4., 5.])
assert row.as_strided((6,), (1,), 0).tolist() == [0, 1, 2, 3, 4, 5]  # claim: it-leaves-the-view
assert row.as_strided((2,), (1,)).tolist() == [3, 4]  # claim: offset-is-kept-by-default
turned = torch.arange(6.0).view(2, 3).t()
assert turned.as_strided((6,), (1,)).tolist() == list(range(6))  # claim: strides-are-ignored

# %% 2.4.2.2.3 what it refuses
message = refusal(lambda: x.as_strided((4,), (2,)))
print(message[-37:])
# >  out of bounds for storage of size 24
assert "out of bounds for storage of size 24" in message  # claim: ends-at-the-storage
message = refusal(lambda: x.as_strided((3,), (-1,)))
assert "Negative strides are not supported" in message  # claim: no-negative-steps


# %% 2.4.2.2.3 writing through an overlap
counts = torch.zeros(6)
message = refusal(lambda: counts.as_strided((4, 3), (1, 1)).add_(1))
print(counts, message == "")
# > tensor([1., 2., 3., 3., 2., 1.]) True
assert message == ""  # claim: overlap-passes-in-silence
assert counts.max() == 3  # claim: and-adds-several-times
message = refusal(lambda: torch.zeros(1).expand(3).add_(1))
assert "refers to a single memory location" in message  # claim: only-steps-of-zero-are-caught

# %% 2.4.2.2.3 its gradient
x = torch.arange(6.0, requires_grad=True)
x.as_strided((4, 3), (1, 1)).sum().backward()
print(x.grad)
# > tensor([1., 2., 3., 3., 2., 1.])
assert x.grad.tolist() == [1, 2, 3, 3, 2, 1]  # claim: overlaps-add-up

# %% 2.4.2.2.4 where pointers mislead
x = torch.arange(10.0)
tail, even, odd = x[2:], x[0::2], x[1::2]
assert tail.data_ptr() == x.data_ptr() + 2 * 4  # claim: a-slice-begins-elsewhere
assert same_storage(x, tail)  # claim: compare-the-storages
assert torch.empty(0).data_ptr() == torch.empty(3)[:0].data_ptr() == 0  # claim: empty-is-nowhere
again = x.view(10)
assert x is not again and x.data_ptr() == again.data_ptr()  # claim: is-asks-for-the-object

# %% 2.4.2.2.4 one storage, no common element
even.fill_(0)
print(odd)
# > tensor([1., 3., 5., 7., 9.])
assert same_storage(even, odd)  # claim: sharing-is-no-overlap
assert odd.tolist() == [1, 3, 5, 7, 9]  # claim: the-write-does-not-show
assert not np.shares_memory(even.numpy(), odd.numpy())  # claim: numpy-decides-exactly
assert np.shares_memory(x.numpy(), odd.numpy())  # claim: numpy-finds-the-overlap

# %% 2.4.2.2.4 two storages, one memory
array = np.zeros(4, dtype=np.float32)
a, b = torch.from_numpy(array), torch.from_numpy(array[1:])
b[0] = 7
print(a, same_storage(a, b))
# > tensor([0., 7., 0., 0.]) False
assert a[1] == 7 and not same_storage(a, b)  # claim: outside-memory-has-several-storages
assert np.shares_memory(a.numpy(), b.numpy())  # claim: numpy-sees-through

# %% 2.4.2.2.4 what a view remembers
base = torch.zeros(4)
view = base[1:]
assert view._base is base and base[1:][1:]._base is base  # claim: a-view-names-its-base
assert base.detach()._base is None and same_storage(base, base.detach())  # claim: detach-names-none
weight = nn.Parameter(torch.zeros(2, 2))
tied = nn.Linear(2, 2)
tied.weight = weight
assert tied.weight is weight  # claim: tied-weights-are-one-object
