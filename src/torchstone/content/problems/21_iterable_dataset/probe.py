"""Drive a streaming dataset directly and in the workers of a loader, over a source that counts."""

import gc
import mmap
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

# An endless source ends here, long after every bound.
MOST_PULLS = 100_000
MOST_WORKERS = 4
PAD = bytes(1016)


def worker_number():
    info = get_worker_info()
    return info.id if info else 0


class Broken(Exception):
    """An exception that no library knows."""


# A program that treats some of them as the end of the stream hides what went wrong.
ERRORS = (KeyError, IndexError, OSError, EOFError, RuntimeError, ValueError, TypeError, Broken)
AT_ONCE = -1


class Source:
    """A stream ``base, base + 1, ...`` that can start again; it counts what is pulled."""

    def __init__(self, base, size, counts=None, error=None):
        self.base, self.size, self.counts, self.error = base, size, counts, error

    def __call__(self):
        if self.error is not None and self.error[0] == AT_ONCE:
            raise self.error[1]
        return self.items()

    def items(self):
        index = 0
        while index != (MOST_PULLS if self.size is None else self.size):
            if self.error is not None and index == self.error[0]:
                raise self.error[1]
            if self.counts is not None:
                self.counts[worker_number()] += 1
            yield self.base + index
            index += 1


class Heavy:
    """A stream of texts of a kilobyte, each with its number."""

    def __init__(self, size):
        self.size = size

    def __call__(self):
        return (index.to_bytes(8, "little") + PAD for index in range(self.size))


class Given:
    """A stream of given objects, as a list: an iterable that is no iterator."""

    def __init__(self, items):
        self.items = items

    def __call__(self):
        return list(self.items)


class Many(IterableDataset):
    """Several datasets, one after the other; says of each item of which, and in which worker."""

    def __init__(self, datasets):
        self.datasets = datasets

    def __iter__(self):
        for number, dataset in enumerate(self.datasets):
            before = global_states()
            for item in dataset:
                yield number, worker_number(), item
            yield number, worker_number(), before == global_states()


def same(item):
    return item


def global_states():
    numpy_state = np.random.get_state()
    python_state = random.getstate()
    return (
        python_state,
        numpy_state[1].tobytes(),
        numpy_state[2],
        torch.get_rng_state().numpy().tobytes(),
    )


def shared_counts(length):
    return memoryview(mmap.mmap(-1, 8 * length)).cast("q")


def load(dataset, workers, **options):
    return DataLoader(dataset, batch_size=None, num_workers=workers, collate_fn=same, **options)


def number_of(item, base, tools):
    if type(item) is not int:
        raise tools.Fault("value_type", type=type(item).__name__)
    return item - base


def make(submission, data, source, key):
    """Make the dataset of a key: seed, epoch, world size, rank."""
    seed, epoch, world, rank = key
    dataset = submission.StreamDataset(
        source, shuffle_buffer=data["buffer"], seed=seed, rank=rank, world_size=world
    )
    if epoch is not None:
        dataset.set_epoch(epoch)
    return dataset


def shards(submission, data, tools):
    """Return what each worker gives of each dataset, the pulls, and whether generators are kept."""
    workers, base = data["workers"], data["base"]
    before = global_states()
    counts = [shared_counts(MOST_WORKERS) for _ in data["streams"]]
    datasets = [
        submission.StreamDataset(
            Source(base, size, count),
            shuffle_buffer=buffer,
            seed=data["seed"],
            rank=rank,
            world_size=world,
        )
        for (world, rank, size, buffer), count in zip(data["streams"], counts, strict=True)
    ]
    found = [[[] for _ in range(max(workers, 1))] for _ in datasets]
    kept, loader = [], load(Many(datasets), workers)
    for position, (number, worker, item) in enumerate(loader):
        if position == 0 and tools.rank:
            tools.rank.count("during")
        if type(item) is bool:
            kept.append(item)
        else:
            found[number][worker].append(number_of(item, base, tools))
    pulls = [list(count[: max(workers, 1)]) for count in counts]
    # A loader without workers draws a seed from torch's generator.
    is_kept = all(kept) and before[:3] == global_states()[:3]
    return {"shards": found, "pulls": pulls, "kept": is_kept}


def bound(submission, data, tools):
    """Return the first outputs of an endless stream, and the pulls after each."""
    base, counts = data["base"], shared_counts(MOST_WORKERS)
    dataset = make(submission, data, Source(base, None, counts), (data["seed"], None, *data["at"]))
    workers, items, pulls = data["workers"], [], []
    stream = iter(load(dataset, workers)) if workers else iter(dataset)
    for _ in range(data["outputs"]):
        items.append(number_of(next(stream), base, tools))
        pulls.append(sum(counts))
    del stream
    gc.collect()
    return {"items": items, "pulls": pulls}


def orders(submission, data, tools):
    """Return the orders of many keys: twice directly, and once in the workers of a loader."""
    base, size, num_shards = data["base"], data["size"], data["num_shards"]
    keys = [(seed, epoch) for seed in data["seeds"] for epoch in data["epochs"]]
    source, runs, kept = Source(base, size), [], True
    plain_hash = submission.builtins["hash"]
    try:
        for salt in (1, 2):
            # As in processes with different PYTHONHASHSEED.
            submission.builtins["hash"] = salted(plain_hash, salt)
            scramble(salt)
            before = global_states()
            runs.append(
                [
                    [
                        number_of(item, base, tools)
                        for item in make(submission, data, source, (*key, num_shards, shard))
                    ]
                    for key in keys
                    for shard in range(num_shards)
                ]
            )
            kept = kept and before == global_states()
    finally:
        submission.builtins["hash"] = plain_hash
    runs.append(in_workers(submission, data, source, keys, tools))
    return {"runs": runs, "kept": kept}


def in_workers(submission, data, source, keys, tools):
    world, workers = 2, data["num_shards"] // 2
    found = {}
    for rank in range(world):
        datasets = [make(submission, data, source, (*key, world, rank)) for key in keys]
        for number, worker, item in load(Many(datasets), workers):
            place = (number, rank * workers + worker)
            if type(item) is not bool:
                found.setdefault(place, []).append(number_of(item, data["base"], tools))
    return [
        found.get((number, shard), [])
        for number in range(len(keys))
        for shard in range(data["num_shards"])
    ]


def salted(plain_hash, salt):
    def has_text(value):
        if isinstance(value, (str, bytes)):
            return True
        return isinstance(value, (tuple, frozenset)) and any(map(has_text, value))

    return lambda value: (
        plain_hash((salt, plain_hash(value))) if has_text(value) else plain_hash(value)
    )


def scramble(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def persistent(submission, data, tools):
    """Return the passes of one loader whose workers stay, and of fresh loaders."""
    base, workers, seed = data["base"], data["workers"], data["seed"]
    source = Source(base, data["size"])

    def read(loader):
        return [number_of(item, base, tools) for item in loader]

    dataset = make(submission, data, source, (seed, None, 1, 0))
    loader, stayed, fresh = load(dataset, workers, persistent_workers=True), [], []
    for epoch in data["epochs"]:
        if epoch is not None:
            dataset.set_epoch(epoch)
        stayed.append(read(loader))
        if tools.rank and len(stayed) == 1:
            tools.rank.count("between")
    del loader
    for epoch in data["epochs"]:
        key = (seed, epoch or 0, 1, 0)
        fresh.append(read(load(make(submission, data, source, key), workers)))
    return {"stayed": stayed, "fresh": fresh, "equal": stayed == fresh}


def failing(submission, data, tools):
    """Return the items before an exception of the source, and whether it is that exception."""
    base, found = data["base"], []
    for at in data["at"]:
        for kind in ERRORS:
            error = kind("source", at)
            dataset = make(submission, data, Source(base, None, error=(at, error)), (1, None, 1, 0))
            items, is_same = [], False
            try:
                for item in dataset:
                    items.append(number_of(item, base, tools))
            except Exception as came:  # noqa: BLE001
                is_same = came is error and came.args == ("source", at)
            found.append([items, is_same])
    return {"failing": found}


def objects(submission, data, tools):
    """Return the numbers of the objects that came out, by identity."""
    items = [None, [], {}, float("nan"), torch.ones(2), StopIteration, 0, "", (1, [2])]
    dataset = make(submission, data, Given(items), (1, None, 1, 0))
    return {"objects": [next((n for n, x in enumerate(items) if x is y), -1) for y in dataset]}


def passes(submission, data, tools):
    """Return two passes that are read in turn, and one after them."""
    base = data["base"]
    dataset = make(submission, data, Source(base, data["size"]), (3, 1, 1, 0))
    alone = [number_of(item, base, tools) for item in dataset]
    one, other, mixed = iter(dataset), iter(dataset), [[], []]
    for _ in range(data["size"]):
        mixed[0].append(number_of(next(one), base, tools))
        mixed[1].append(number_of(next(other), base, tools))
    rest = list(one) + list(other)
    again = [number_of(item, base, tools) for item in dataset]
    return {"passes": [alone, *mixed, again], "rest": len(rest)}


def defaults(submission, data, tools):
    """Return the passes where arguments are left out, and one where all are given."""
    kind, buffer = submission.StreamDataset, data["buffer"]
    source = Source(data["base"], data["size"])
    datasets = [
        kind(source),
        kind(source, shuffle_buffer=buffer),
        make(submission, data, source, (0, None, 1, 0)),
    ]
    return {"passes": [[number_of(x, data["base"], tools) for x in each] for each in datasets]}


def refused(submission, data, tools):
    """Return what each bad argument raises."""
    kind, source = submission.StreamDataset, Source(0, 3)
    tries = {
        "generator": lambda: kind(source()),
        "list": lambda: kind([1, 2]),
        "none": lambda: kind(None),
        "buffer": lambda: kind(source, shuffle_buffer=-1),
        "world_size": lambda: kind(source, world_size=0),
        "negative_rank": lambda: kind(source, rank=-1, world_size=2),
        "large_rank": lambda: kind(source, rank=2, world_size=2),
        "len": lambda: len(kind(source)),
    }
    found = {}
    for name, attempt in tries.items():
        found[name] = "nothing"
        try:
            attempt()
        except Exception as error:  # noqa: BLE001
            kinds = [each.__name__ for each in type(error).__mro__]
            found[name] = next(
                (each for each in kinds if each in ("TypeError", "ValueError")), kinds[0]
            )
    found["iterable_dataset"] = issubclass(kind, IterableDataset)
    return {"refused": found}


def statistics(submission, data, tools):
    """Count the first item, or the last, over many seeds."""
    size, counted = data["size"], [0] * data["size"]
    for seed in data["seeds"]:
        dataset = make(submission, data, Source(0, size), (seed, None, 1, 0))
        item = next(iter(dataset)) if data["which"] == "first" else list(dataset)[-1]
        counted[number_of(item, 0, tools)] += 1
    return {"counted": counted}


def large(submission, data, tools):
    """Return the numbers of a long stream's items, which do not fit into memory together."""
    key = (data["seed"], None, *data["at"])
    dataset = make(submission, data, Heavy(data["size"]), key)
    numbers = [int.from_bytes(item[:8], "little") for item in dataset]
    return {"numbers": torch.tensor(numbers, dtype=torch.int64)}


OPERATIONS = {
    each.__name__: each
    for each in (
        shards,
        bound,
        orders,
        persistent,
        failing,
        objects,
        passes,
        defaults,
        refused,
        statistics,
        large,
    )
}


def probe(submission, op, data, tools):
    """Answer one request."""
    return OPERATIONS[op](submission, data, tools)
