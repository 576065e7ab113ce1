# %% setup
import copy
import gzip
import io
import os
import pickle
import tempfile
import warnings
from itertools import islice

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
from torch.utils.data._utils import worker

torch.manual_seed(0)


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (IndexError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        return str(error)
    return ""


# %% 5.1.1.1.1 nothing is read before it is asked for
class Pictures(Dataset):
    """Names of pictures; reading one is noted."""

    def __init__(self, names):
        self.names, self.read = names, []

    def __getitem__(self, index):
        self.read.append(self.names[index])  # a file would be opened here
        return torch.full((2, 2), float(index))

    def __len__(self):
        return len(self.names)


pictures = Pictures("abcdef")
loader = DataLoader(pictures, batch_size=2)
print(pictures.read)
# > []
assert pictures.read == []  # claim: nothing-is-read-before
next(iter(loader))
print(pictures.read)
# > ['a', 'b']
assert pictures.read == ["a", "b"]  # claim: a-batch-at-a-time

# %% 5.1.1.1.1 order and batches are the loader's
pictures = Pictures("abcdef")
shapes = [tuple(batch.shape) for batch in DataLoader(pictures, batch_size=4)]
print(shapes)
# > [(4, 2, 2), (2, 2, 2)]
assert shapes == [(4, 2, 2), (2, 2, 2)]  # claim: loader-makes-batches
assert pictures[5].shape == (2, 2)  # claim: dataset-gives-one-sample
pictures.read.clear()
list(DataLoader(pictures, batch_size=4, shuffle=True))
print(*pictures.read)
# > c d b f e a
assert sorted(pictures.read) == list("abcdef") != pictures.read  # claim: loader-decides-the-order

# %% 5.1.1.1.1 a list will do
batches = [batch.tolist() for batch in DataLoader([10, 20, 30, 40], batch_size=3)]
print(batches)
# > [[10, 20, 30], [40]]
assert batches == [[10, 20, 30], [40]]  # claim: a-list-is-enough
both = Pictures("abc") + Pictures("de")
print(type(both).__name__, len(both))
# > ConcatDataset 5
assert type(both).__name__ == "ConcatDataset" and len(both) == 5  # claim: base-class-adds-plus


# %% 5.1.1.1.2 a stream has no index
class Stream(IterableDataset):
    """Numbers in the order in which they arrive."""

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return iter(range(self.count))


stream = Stream(6)
batches = [batch.tolist() for batch in DataLoader(stream, batch_size=4)]
print(batches)
# > [[0, 1, 2, 3], [4, 5]]
assert batches == [[0, 1, 2, 3], [4, 5]]  # claim: its-own-order
assert "should implement __getitem__" in refusal(lambda: stream[0])  # claim: no-access-by-index
message = refusal(lambda: DataLoader(stream, shuffle=True))
print(message)
# > DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle=True
assert "expected unspecified shuffle option" in message  # claim: shuffle-is-refused
message = refusal(lambda: DataLoader(stream, sampler=[1, 0]))
assert "expected unspecified sampler option" in message  # claim: sampler-is-refused

# %% 5.1.1.1.2 what an index may cost
text = gzip.compress("\n".join(str(number) for number in range(50)).encode())


class Line(Dataset):
    """The lines of a compressed text, each by its index."""

    decoded = 0

    def __getitem__(self, index):
        with gzip.open(io.BytesIO(text), "rt") as lines:
            for _ in range(index + 1):
                line = next(lines)
                self.decoded += 1
        return int(line)

    def __len__(self):
        return 50


by_index = Line()
list(DataLoader(by_index))
in_a_row = sum(1 for _ in gzip.open(io.BytesIO(text), "rt"))
print(by_index.decoded, in_a_row)
# > 1275 50
assert by_index.decoded == 50 * 51 // 2  # claim: an-index-costs-all-before-it
assert in_a_row == 50  # claim: a-stream-decodes-once


# %% 5.1.1.1.2 each worker has a copy of all of it
class Sharded(Stream):
    """A stream of which each worker takes its share."""

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        return iter(range(first, self.count, step))


def in_worker(dataset, number, num_workers):
    """Iterate a copy of a dataset with what a worker process would be told of itself."""
    copied = copy.deepcopy(dataset)
    told = {"id": number, "num_workers": num_workers, "seed": 0, "dataset": copied}
    worker._worker_info = worker.WorkerInfo(**told)
    try:
        return list(copied)
    finally:
        worker._worker_info = None


plain = [in_worker(Stream(4), number, 2) for number in range(2)]
shards = [in_worker(Sharded(4), number, 2) for number in range(2)]
print(plain, shards)
# > [[0, 1, 2, 3], [0, 1, 2, 3]] [[0, 2], [1, 3]]
assert plain == [[0, 1, 2, 3], [0, 1, 2, 3]]  # claim: copies-repeat-everything
assert shards == [[0, 2], [1, 3]]  # claim: shards-share-it-out
assert list(Sharded(4)) == [0, 1, 2, 3]  # claim: alone-it-gives-all


# %% 5.1.1.1.2 its length is a promise
class Promised(Stream):
    def __len__(self):
        return 4


loader, unasked = (DataLoader(Promised(6), batch_size=1) for _ in range(2))
assert len(loader) == 4  # claim: length-is-believed
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    num_seen = sum(len(batch) for batch in loader)
    num_warned = len(caught)
    list(unasked)
print(num_seen, num_warned)
# > 6 2
assert num_seen == 6  # claim: the-rest-comes-all-the-same
messages = [str(each.message) for each in caught]
assert any("Length of IterableDataset" in each for each in messages)  # claim: excess-is-warned-of
assert len(caught) == num_warned  # claim: unasked-nothing-is-said
message = refusal(lambda: len(DataLoader(Stream(6))))
assert "has no len()" in message  # claim: no-length-is-allowed


# %% 5.1.1.1.3 what the base class does not have
class Bare(Dataset):
    """A dataset without a method of its own."""


bare = Bare()
assert not hasattr(bare, "__len__")  # claim: base-has-no-len
loader = DataLoader(bare, sampler=[3, 1])  # no error yet
message = refusal(lambda: next(iter(loader)))
print(message)
# > Subclasses of Dataset should implement __getitem__.
assert "should implement __getitem__" in message  # claim: getitem-is-missed-at-the-first-sample


# %% 5.1.1.1.3 who asks for the length
class Tens(Dataset):
    """Samples by index, without a length."""

    def __getitem__(self, index):
        return 10 * index


message = refusal(lambda: DataLoader(Tens(), shuffle=True))
print(message)
# > object of type 'Tens' has no len()
assert "has no len()" in message  # claim: shuffling-asks-at-once
assert refusal(lambda: DataLoader(Tens())) == ""  # claim: in-order-is-built
assert "has no len()" in refusal(lambda: list(DataLoader(Tens())))  # claim: in-order-asks-later
batches = [batch.tolist() for batch in DataLoader(Tens(), batch_size=2, sampler=[5, 2, 7])]
print(batches)
# > [[50, 20], [70]]
assert batches == [[50, 20], [70]]  # claim: own-sampler-asks-for-none


# %% 5.1.1.1.3 a batch in one request
class Table(Dataset):
    """Rows of a table, where each request costs a round trip."""

    def __init__(self):
        self.requests = []

    def __getitem__(self, index):
        self.requests.append([index])
        return 10 * index

    def __getitems__(self, indices):
        self.requests.append(list(indices))
        return [10 * index for index in indices]

    def __len__(self):
        return 5


table = Table()
batches = [batch.tolist() for batch in DataLoader(table, batch_size=2)]
print(table.requests, batches)
# > [[0, 1], [2, 3], [4]] [[0, 10], [20, 30], [40]]
assert table.requests == [[0, 1], [2, 3], [4]]  # claim: getitems-is-asked-once-a-batch
assert batches == [[0, 10], [20, 30], [40]]  # claim: the-batches-are-the-same

# %% 5.1.1.1.3 what a sample may be
samples = [{"x": torch.zeros(3), "y": 1, "name": "a"}, {"x": torch.ones(3), "y": 0, "name": "b"}]
batch = next(iter(DataLoader(samples, batch_size=2)))
print(batch["x"].shape, batch["y"], batch["name"])
# > torch.Size([2, 3]) tensor([1, 0]) ['a', 'b']
assert batch["x"].shape == (2, 3) and batch["name"] == ["a", "b"]  # claim: dicts-are-collated
message = refusal(lambda: list(DataLoader([torch.zeros(3), None], batch_size=2)))
print(message)
# > expected Tensor as element 1 in argument 0, but got NoneType
assert "NoneType" in message  # claim: none-is-refused
message = refusal(lambda: list(DataLoader([torch.zeros(3), torch.zeros(2)], batch_size=2)))
assert "equal size" in message  # claim: sizes-must-agree


# %% 5.1.1.1.4 notes taken in a copy
class Counting(Dataset):
    """A dataset that counts how often it was asked."""

    asked = 0

    def __getitem__(self, index):
        self.asked += 1
        return index if self.asked <= 4 else -index

    def __len__(self):
        return 4


counting = Counting()
in_a_worker = copy.deepcopy(counting)
list(DataLoader(in_a_worker))
print(in_a_worker.asked, counting.asked)
# > 4 0
assert in_a_worker.asked == 4 and counting.asked == 0  # claim: a-copy-keeps-its-notes
epochs = [[int(each) for each in DataLoader(counting)] for _ in range(2)]
print(epochs)
# > [[0, 1, 2, 3], [0, -1, -2, -3]]
assert epochs[0] != epochs[1]  # claim: notes-change-the-sample


# %% 5.1.1.1.4 a sample that is changed in place
class Scaled(Dataset):
    """Pictures in memory, scaled when they are asked for."""

    def __init__(self, scale):
        self.pictures, self.scale = torch.full((3, 2), 8.0), scale

    def __getitem__(self, index):
        return self.scale(self.pictures[index])

    def __len__(self):
        return 3


def means(dataset):
    """Compute the mean of each of two epochs."""
    return [torch.cat(list(DataLoader(dataset))).mean().item() for _ in range(2)]


in_place, fresh = means(Scaled(lambda x: x.div_(2))), means(Scaled(lambda x: x.div(2)))
print(in_place, fresh)
# > [4.0, 2.0] [4.0, 4.0]
assert in_place == [4.0, 2.0]  # claim: in-place-halves-again
assert fresh == [4.0, 4.0]  # claim: a-new-tensor-does-not


# %% 5.1.1.1.4 the length is believed
class Claimed(Dataset):
    """Ten values, and whatever length it is told."""

    def __init__(self, length):
        self.values, self.length = list(range(10)), length

    def __getitem__(self, index):
        return self.values[index]

    def __len__(self):
        return self.length


def seen(dataset):
    """Return what an epoch gives."""
    return [value for batch in DataLoader(dataset, batch_size=4) for value in batch.tolist()]


print(seen(Claimed(7)))
# > [0, 1, 2, 3, 4, 5, 6]
assert seen(Claimed(7)) == list(range(7))  # claim: too-short-hides-samples
assert "out of range" in refusal(lambda: seen(Claimed(12)))  # claim: too-long-breaks-the-epoch


# %% 5.1.1.1.4 a plain loop ends by an error
class Squares(Dataset):
    def __getitem__(self, index):
        return index**2

    def __len__(self):
        return 3


class Ending(Squares):
    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(f"index {index} is out of range for {len(self)} samples")
        return super().__getitem__(index)


num_endless, ended = len(list(islice(iter(Squares()), 100))), list(islice(iter(Ending()), 100))
print(num_endless, ended)
# > 100 [0, 1, 4]
assert num_endless == 100  # claim: a-loop-does-not-ask-for-the-length
assert ended == [0, 1, 4]  # claim: an-index-error-ends-it


# %% 5.1.1.1.4 a file that is opened too early
class Early(Dataset):
    def __init__(self, path):
        self.path, self.file = path, open(path, "rb", buffering=0)


class Late(Dataset):
    def __init__(self, path):
        self.path, self.file = path, None


with tempfile.NamedTemporaryFile() as numbers:
    numbers.write(bytes(range(8)))
    numbers.flush()
    early, late = Early(numbers.name), Late(numbers.name)
    message = refusal(lambda: pickle.dumps(vars(early)))
    print(message)
    assert "cannot pickle" in message  # claim: an-open-file-does-not-travel
    assert refusal(lambda: pickle.dumps(vars(late))) == ""  # claim: a-path-travels
    as_after_fork = os.dup(early.file.fileno())
    os.read(as_after_fork, 3)
    print(early.file.read(1))
    assert early.file.tell() == 4  # claim: copies-move-one-position
    os.close(as_after_fork)
    early.file.close()
# > cannot pickle '_io.FileIO' object
# > b'\x03'
