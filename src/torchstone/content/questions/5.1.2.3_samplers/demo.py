# %% setup
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    WeightedRandomSampler,
)

torch.manual_seed(0)


class Noted(Dataset):
    """Numbers from zero; what it is asked for is noted."""

    def __init__(self, count):
        self.count, self.asked = count, []

    def __getitem__(self, index):
        self.asked.append(index)
        return index

    def __len__(self):
        return self.count


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (IndexError, RuntimeError, TypeError, ValueError) as error:
        return str(error)
    return ""


# %% 5.1.2.3.1 indices, and nothing else
dataset = Noted(5)
batches = [batch.tolist() for batch in DataLoader(dataset, batch_size=2, sampler=[4, 4, 0])]
print(dataset.asked, batches)
# > [4, 4, 0] [[4, 4], [0]]
assert dataset.asked == [4, 4, 0]  # claim: asked-in-its-order
assert list(SequentialSampler("abc")) == [0, 1, 2]  # claim: gives-numbers-not-samples

# %% 5.1.2.3.1 shuffling is a choice of sampler
plain, mixed = DataLoader(Noted(5)), DataLoader(Noted(5), shuffle=True)
print(type(plain.sampler).__name__, type(mixed.sampler).__name__)
# > SequentialSampler RandomSampler
assert isinstance(plain.sampler, SequentialSampler)  # claim: in-order-by-default
assert isinstance(mixed.sampler, RandomSampler)  # claim: shuffle-picks-the-random-one
message = refusal(lambda: DataLoader(Noted(5), shuffle=True, sampler=[2, 1]))
print(message)
# > sampler option is mutually exclusive with shuffle
assert "mutually exclusive" in message  # claim: shuffle-and-sampler-are-refused


# %% 5.1.2.3.1 asked again in each epoch
class Told(Sampler):
    """Three indices; each new iteration is counted."""

    starts = 0

    def __iter__(self):
        self.starts += 1
        return iter([2, 0, 1])

    def __len__(self):
        return 3


sampler = Told()
loader = DataLoader(Noted(100), batch_size=2, sampler=sampler)
print(len(loader))
# > 2
assert len(loader) == 2  # claim: length-is-the-samplers
for _ in range(3):
    list(loader)
assert sampler.starts == 3  # claim: iterated-once-an-epoch

# %% 5.1.2.3.1 a generator is used up
loader = DataLoader(Noted(5), sampler=(index for index in [3, 1]))
epochs = [len(list(loader)) for _ in range(2)]
print(epochs)
# > [2, 0]
assert epochs == [2, 0]  # claim: the-second-epoch-is-empty

# %% 5.1.2.3.2 each one once, or drawn anew
count = range(1000)
assert list(SequentialSampler(count)) == list(count)  # claim: sequential-is-the-order-of-indices
once, drawn = list(RandomSampler(count)), list(RandomSampler(count, replacement=True))
print(len(once), len(set(once)), len(drawn), len(set(drawn)))
# > 1000 1000 1000 616
assert sorted(once) == list(count) != once  # claim: random-takes-each-once
assert len(drawn) == 1000 and len(set(drawn)) < 700  # claim: replacement-leaves-a-third-out
some = list(RandomSampler(count, num_samples=100))
assert len(some) == len(set(some)) == 100  # claim: num-samples-shortens-the-epoch

# %% 5.1.2.3.2 a weight for each sample
labels = torch.tensor([0] * 90 + [1] * 10)
per_class = 1 / torch.bincount(labels)
sampler = WeightedRandomSampler(per_class[labels], num_samples=1000)
rare = labels[list(sampler)].sum().item()
print(rare)
# > 499
assert 420 < rare < 580  # claim: inverse-counts-even-the-classes
wrong = set(WeightedRandomSampler(per_class, num_samples=1000))
print(wrong)
# > {0, 1}
assert wrong == {0, 1}  # claim: class-weights-reach-two-samples
generators = [torch.Generator().manual_seed(3) for _ in range(2)]
scaled = [
    list(WeightedRandomSampler(weights, 5, generator=generator))
    for weights, generator in zip(([1.0, 3.0], [8.0, 24.0]), generators, strict=True)
]
assert scaled[0] == scaled[1]  # claim: only-the-ratio-counts

# %% 5.1.2.3.2 without replacement nothing is evened out
sampler = WeightedRandomSampler(per_class[labels], num_samples=100, replacement=False)
drawn = list(sampler)
print(sorted(drawn) == list(range(100)), labels[drawn].sum().item())
# > True 10
assert sorted(drawn) == list(range(100))  # claim: every-sample-comes-once
early = labels[drawn[:20]].sum().item()
print(early)
# > 7
assert early > 5  # claim: heavy-ones-come-first
sampler = WeightedRandomSampler([1.0, 1.0], num_samples=3, replacement=False)
message = refusal(lambda: list(sampler))
assert "without replacement" in message  # claim: more-than-there-are-is-refused

# %% 5.1.2.3.2 a generator of its own
sampler, twin = (
    RandomSampler(range(6), generator=torch.Generator().manual_seed(seed)) for seed in (1, 1)
)
first = list(sampler)
torch.manual_seed(0)
print(first)
# > [1, 5, 2, 0, 3, 4]
assert list(twin) == first  # claim: its-generator-repeats-the-order
assert list(sampler) != first  # claim: and-goes-on-in-the-next-epoch


# %% 5.1.2.3.3 an order that depends on seed and epoch
class Shuffled(Sampler):
    """A permutation that the seed and the epoch determine."""

    def __init__(self, count, seed=0):
        self.count, self.seed, self.epoch = count, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        yield from torch.randperm(self.count, generator=generator).tolist()

    def __len__(self):
        return self.count


sampler, before = Shuffled(6), torch.get_rng_state()
first, again = list(sampler), list(sampler)
sampler.set_epoch(1)
second = list(sampler)
print(first, second)
# > [2, 5, 3, 0, 1, 4] [1, 5, 2, 0, 3, 4]
assert first == again  # claim: the-same-epoch-repeats
assert first != second  # claim: another-epoch-differs
assert torch.equal(torch.get_rng_state(), before)  # claim: the-global-generator-rests
resumed = Shuffled(6)
resumed.set_epoch(1)
assert list(resumed) == second  # claim: a-resumed-run-gets-the-epoch

# %% 5.1.2.3.3 who forgets the epoch
sampler = DistributedSampler(range(6), num_replicas=2, rank=0)
orders = [list(sampler) for _ in range(3)]
print(orders)
# > [[2, 3, 1], [2, 3, 1], [2, 3, 1]]
assert orders[0] == orders[1] == orders[2]  # claim: without-set-epoch-it-repeats
sampler.set_epoch(1)
assert list(sampler) != orders[0]  # claim: set-epoch-changes-it
torch.manual_seed(0)
epochs = [list(RandomSampler(range(6))) for _ in range(2)]
torch.manual_seed(0)  # as a run does that resumes after the first epoch
resumed = list(RandomSampler(range(6)))
assert resumed == epochs[0] != epochs[1]  # claim: the-seed-alone-starts-over


# %% 5.1.2.3.3 permuted too early
class Early(Sampler):
    """A permutation that is drawn when the sampler is built."""

    def __init__(self, count):
        self.order = torch.randperm(count).tolist()
        self.iterator = iter(self.order)

    def __iter__(self):
        return iter(self.order)


class Kept(Early):
    def __iter__(self):
        return self.iterator


early, kept = Early(6), Kept(6)
epochs = [list(early), list(early)]
assert epochs[0] == epochs[1]  # claim: drawn-once-it-repeats
print([len(list(kept)), len(list(kept))])
# > [6, 0]
assert list(kept) == []  # claim: a-kept-iterator-is-used-up
message = refusal(lambda: len(DataLoader(Noted(6), sampler=early)))
print(message)
# > object of type 'Early' has no len()
assert "has no len()" in message  # claim: no-length-no-number-of-batches
assert len(list(DataLoader(Noted(6), sampler=early))) == 6  # claim: it-iterates-all-the-same

# %% 5.1.2.3.3 sequences of similar length
lengths = torch.randint(5, 100, (64,)).tolist()


class ByLength(Sampler):
    """The indices in the order of the lengths."""

    def __iter__(self):
        return iter(sorted(range(len(lengths)), key=lengths.__getitem__))

    def __len__(self):
        return len(lengths)


def padding(sampler):
    """Count the elements that batches of eight have to be padded with."""
    batches = [[lengths[i] for i in batch] for batch in BatchSampler(sampler, 8, False)]
    return sum(max(batch) * len(batch) - sum(batch) for batch in batches)


random, sorted_ = padding(RandomSampler(lengths)), padding(ByLength())
print(random, sorted_)
# > 2618 370
assert sorted_ < random / 4  # claim: similar-lengths-need-less-padding

# %% 5.1.2.3.4 an item is a whole batch
loader = DataLoader(Noted(5), batch_size=2)
print(type(loader.batch_sampler).__name__, list(loader.batch_sampler))
# > BatchSampler [[0, 1], [2, 3], [4]]
assert isinstance(loader.batch_sampler, BatchSampler)  # claim: the-loader-builds-one
assert list(loader.batch_sampler) == [[0, 1], [2, 3], [4]]  # claim: its-items-are-lists
assert list(loader.sampler) == [0, 1, 2, 3, 4]  # claim: a-samplers-are-numbers
short = BatchSampler(loader.sampler, 2, drop_last=True)
assert len(short) == len(list(short)) == 2  # claim: it-drops-what-is-left


# %% 5.1.2.3.4 who stands beside whom, and how many
class Budget(Sampler):
    """Batches of sequences that hold a budget of padded elements."""

    def __init__(self, lengths, most):
        self.batches, batch = [], []
        for index in sorted(range(len(lengths)), key=lengths.__getitem__):
            if batch and lengths[index] * (len(batch) + 1) > most:
                self.batches.append(batch)
                batch = []
            batch = [*batch, index]
        self.batches.append(batch)

    def __iter__(self):
        order = torch.randperm(len(self.batches)).tolist()
        return (self.batches[i] for i in order)

    def __len__(self):
        return len(self.batches)


lengths = [9, 2, 3, 8, 2, 4, 3, 9]
loader = DataLoader(Noted(8), batch_sampler=Budget(lengths, most=18))
batches = [[lengths[i] for i in batch] for batch in loader]
print(batches)
# > [[9, 9], [2, 2, 3, 3], [4, 8]]
assert len({len(batch) for batch in batches}) > 1  # claim: sizes-may-differ
assert max(max(batch) * len(batch) for batch in batches) <= 18  # claim: the-budget-is-kept
again = [[lengths[i] for i in batch] for batch in loader]
assert sorted(again) == sorted(batches) and again != batches  # claim: batches-are-shuffled-whole

# %% 5.1.2.3.4 it leaves nothing else to say
pairs = BatchSampler(SequentialSampler(range(4)), 2, drop_last=False)
message = refusal(lambda: DataLoader(Noted(4), batch_sampler=pairs, batch_size=2))
print(message)
# > batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last
assert "mutually exclusive" in message  # claim: batch-size-is-refused-beside-it
message = refusal(lambda: DataLoader(Noted(4), batch_sampler=pairs, drop_last=True))
assert "drop_last" in message  # claim: drop-last-too
loader = DataLoader(Noted(4), batch_sampler=pairs)
assert loader.batch_size is None  # claim: the-loader-has-no-batch-size

# %% 5.1.2.3.4 as a sampler it gives the index itself
table = torch.arange(8).view(4, 2)


class Rows(Dataset):
    """Rows of a table; a list of indices takes them at once."""

    def __init__(self):
        self.asked = []

    def __getitem__(self, index):
        self.asked.append(index)
        return table[index]


rows = Rows()
loader = DataLoader(rows, sampler=pairs, batch_size=None)
shapes = [tuple(batch.shape) for batch in loader]
print(rows.asked, shapes)
# > [[0, 1], [2, 3]] [(2, 2), (2, 2)]
assert rows.asked == [[0, 1], [2, 3]]  # claim: the-list-is-the-index
assert loader.collate_fn is torch.utils.data.default_convert  # claim: nothing-is-collated
doubled = [tuple(batch.shape) for batch in DataLoader(Rows(), sampler=pairs)]
print(doubled)
# > [(1, 2, 2), (1, 2, 2)]
assert doubled == [(1, 2, 2), (1, 2, 2)]  # claim: else-a-dimension-is-added
