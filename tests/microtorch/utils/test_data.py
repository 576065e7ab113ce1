"""The loader gives PyTorch's batches in PyTorch's order; workers change nothing, lose no error."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from torchstone.microtorch.utils import data

pytestmark = pytest.mark.torch


class Squares(data.Dataset[Any]):
    def __init__(self, count: int = 11) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[Any, dict[str, Any]]:
        return micro.tensor([index, index * index]), {"n": index, "half": index / 2, "s": "x"}


class Count(data.IterableDataset[Any]):
    def __iter__(self) -> Iterator[int]:
        info = data.get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        yield from range(first, 10, step)


class Failing(Squares):
    def __getitem__(self, index: int) -> Any:
        if index == 5:
            raise KeyError("the fifth")
        return super().__getitem__(index)


class Dying(Squares):
    def __getitem__(self, index: int) -> Any:
        os._exit(3)


def pairs(space: Any) -> Any:
    x = space.arange(22).reshape(11, 2)
    return space.utils.data.TensorDataset(x, x.sum(1))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 4},
        {"batch_size": 4, "drop_last": True},
        {"batch_size": 3, "shuffle": True},
        {"batch_size": None, "shuffle": True},
    ],
    ids=str,
)
def test_the_batches_and_their_order_are_pytorchs(options: dict[str, Any]) -> None:
    seen = []
    for space in (micro, torch):
        space.manual_seed(7)
        loader = space.utils.data.DataLoader(pairs(space), **options)
        passes = [[[part.tolist() for part in batch] for batch in loader] for _ in range(2)]
        seen.append((passes, len(loader), space.rand(1).item()))
    assert seen[0] == seen[1]


def test_samplers_draw_what_pytorchs_draw() -> None:
    def drawn(space: Any) -> list[Any]:
        space.manual_seed(3)
        s, g = space.utils.data, space.Generator().manual_seed(9)
        samplers = [
            s.RandomSampler(range(40)),
            s.RandomSampler(range(40), generator=g),
            s.RandomSampler(range(5), replacement=True, num_samples=50),
            s.RandomSampler(range(5), num_samples=12),
            s.SubsetRandomSampler([3, 1, 4, 1, 5]),
            s.WeightedRandomSampler([0.1, 0.9, 2.0], 12),
            s.BatchSampler(s.SequentialSampler(range(5)), 2, False),
        ]
        return [(list(each), len(each)) for each in samplers]

    assert drawn(micro) == drawn(torch)


def test_a_set_is_split_as_pytorch_splits_it() -> None:
    def parts(space: Any, lengths: list[float]) -> list[list[int]]:
        generator = space.Generator().manual_seed(4)
        split = space.utils.data.random_split(range(10), lengths, generator)
        return [list(part.indices) for part in split]

    for lengths in ([7, 3], [0.5, 0.3, 0.2], [0.33, 0.33, 0.34]):
        assert parts(micro, lengths) == parts(torch, lengths)
    with pytest.raises(ValueError, match="Sum of input lengths"):
        data.random_split(range(10), [7, 4])


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:This DataLoader will create")
@pytest.mark.parametrize("workers", [1, 3])
def test_workers_give_the_same_batches_in_the_same_order(workers: int) -> None:
    def flat(loader: Any) -> list[Any]:
        return [(x.tolist(), y["n"].tolist(), y["half"].tolist(), y["s"]) for x, y in loader]

    assert flat(data.DataLoader(Squares(), 3, num_workers=workers)) == flat(
        data.DataLoader(Squares(), 3)
    )


@pytest.mark.full
def test_workers_that_are_kept_go_on_after_a_pass_that_was_broken_off() -> None:
    loader = data.DataLoader(Squares(30), 3, num_workers=2, persistent_workers=True)
    for _ in loader:
        break
    assert next(iter(loader))[0][:, 0].tolist() == [0, 1, 2]
    assert len(list(loader)) == 10


@pytest.mark.full
def test_an_iterable_set_is_shared_out_among_workers() -> None:
    loader = data.DataLoader(Count(), 2, num_workers=2)
    assert sorted(number for batch in loader for number in batch.tolist()) == list(range(10))
    assert [batch.tolist() for batch in data.DataLoader(Count(), 4)] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9],
    ]


@pytest.mark.full
def test_an_error_in_a_worker_comes_back_as_itself_with_its_traceback() -> None:
    loader = data.DataLoader(Failing(), 2, num_workers=2)
    with pytest.raises(
        KeyError, match=r"DataLoader worker process \d\.\nOriginal Traceback"
    ) as got:
        list(loader)
    assert "the fifth" in str(got.value)


@pytest.mark.full
def test_a_worker_that_dies_is_noticed() -> None:
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(data.DataLoader(Dying(), 2, num_workers=1))


@pytest.mark.full
def test_each_worker_has_its_own_stream_of_random_numbers() -> None:
    class Noise(Squares):
        def __getitem__(self, index: int) -> Any:
            return micro.rand(1)

    loader = data.DataLoader(Noise(4), 1, num_workers=2)
    assert len({batch.item() for batch in loader}) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_workers": -1}, "num_workers"),
        ({"prefetch_factor": 2}, "prefetch_factor"),
        ({"persistent_workers": True}, "persistent_workers"),
        ({"shuffle": True, "sampler": [0, 1]}, "mutually exclusive"),
        ({"batch_sampler": [[0, 1]], "batch_size": 2}, "mutually exclusive"),
        ({"batch_size": None, "drop_last": True}, "drop_last"),
        ({"batch_size": 0}, "positive integer"),
        ({"timeout": -1}, "timeout"),
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        data.DataLoader(Squares(), **options)


def test_an_option_that_is_misspelt_is_refused() -> None:
    with pytest.raises(TypeError, match="num_worker"):
        data.DataLoader(Squares(), num_worker=2)  # type: ignore[call-arg]


def test_samples_are_put_together_by_their_kind() -> None:
    batch = data.default_collate(
        [
            {"a": np.float32(1), "b": [1, 2.5], "c": "x"},
            {"a": np.float32(2), "b": [3, 4.5], "c": "y"},
        ]
    )
    assert batch["a"].dtype is micro.float32
    assert [each.tolist() for each in batch["b"]] == [[1, 3], [2.5, 4.5]]
    assert batch["b"][1].dtype is micro.float64
    assert batch["c"] == ["x", "y"]
    with pytest.raises(RuntimeError, match="equal size"):
        data.default_collate([[1], [1, 2]])
    with pytest.raises(TypeError, match="default_collate"):
        data.default_collate([object()])


def test_a_stream_that_is_given_goes_on_from_pass_to_pass_as_pytorchs() -> None:
    found = []
    for t in (micro, torch):
        stream = t.Generator().manual_seed(2)
        loader = t.utils.data.DataLoader(range(6), 2, shuffle=True, generator=stream)
        passes = [[batch.tolist() for batch in loader] for _ in range(3)]
        found.append((passes, t.rand(1, generator=stream).item()))
    assert found[0] == found[1]


@pytest.mark.full
def test_workers_that_are_kept_begin_an_iterable_set_anew() -> None:
    loader = data.DataLoader(Count(), 5, num_workers=2, persistent_workers=True)
    passes = [sorted(n for batch in loader for n in batch.tolist()) for _ in range(2)]
    assert passes == [list(range(10))] * 2


class Drawn(data.Dataset[float]):
    """Random numbers of NumPy."""

    def __getitem__(self, index: int) -> float:
        return float(np.random.rand())

    def __len__(self) -> int:
        return 4


@pytest.mark.full
def test_numpys_numbers_in_workers_are_those_in_pytorchs() -> None:
    found = []
    for t in (micro, torch):
        t.manual_seed(0)
        loader = t.utils.data.DataLoader(Drawn(), 1, num_workers=2)
        found.append([batch.item() for batch in loader])
    assert found[0] == found[1]
    assert len(set(found[0])) == 4


@pytest.mark.full
def test_after_an_error_in_a_worker_the_other_batches_come() -> None:
    batches = iter(data.DataLoader(Failing(), 1, num_workers=1))
    came = 0
    for _ in range(len(batches)):
        try:
            next(batches)
            came += 1
        except KeyError:
            pass
    assert came == len(batches) - 1


ORPHANS = """
import os, time
from torchstone.microtorch.utils import data
from torchstone.microtorch.utils.data import worker
worker.POLL_SECONDS = 0.05
loader = data.DataLoader(range(10), 1, num_workers=2, persistent_workers=True)
batches = iter(loader)
next(batches)
print(*(process.pid for process in loader._workers._processes), flush=True)
os.kill(os.getpid(), 9)
"""


# Workers that begin only when the main process has gone.
LATE = ORPHANS.replace("next(batches)", "").replace(
    "loader = ", "worker.manual_seed = lambda seed: time.sleep(0.5)\nloader = "
)


@pytest.mark.full
@pytest.mark.parametrize("script", [ORPHANS, LATE], ids=["busy", "late"])
def test_workers_end_when_the_main_process_is_killed(script: str) -> None:
    # The workers write to the same pipe: it is read to its end only when they have ended, too.
    main = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120
    )
    assert main.returncode == -9
    assert len(main.stdout.split()) == 2


def test_sets_side_by_side_give_what_pytorchs_give() -> None:
    for t in (micro, torch):
        stack = t.utils.data.StackDataset
        assert stack(range(3), range(5, 8))[1] == (1, 6)
        assert stack(a=range(3))[2] == {"a": 2}
        assert stack(a=range(3), b="xyz").__getitems__([0, 2]) == [
            {"a": 0, "b": "x"},
            {"a": 2, "b": "z"},
        ]
        with pytest.raises(ValueError, match="Size mismatch between datasets"):
            stack(range(3), range(4))


@pytest.mark.parametrize("options", [{}, {"shuffle": False}, {"drop_last": True}])
def test_the_sampler_of_several_processes_shares_out_as_pytorchs(options: dict[str, Any]) -> None:
    found: list[list[Any]] = []
    for t in (micro, torch):
        samplers = [
            t.utils.data.DistributedSampler(range(10), 4, rank, seed=3, **options)
            for rank in range(4)
        ]
        for each in samplers:
            each.set_epoch(2)
        found.append([(list(each), len(each)) for each in samplers])
    assert found[0] == found[1]


class Long(Squares):
    def __getitem__(self, index: int) -> Any:
        return np.zeros(100_000)


def test_workers_whose_batches_nobody_took_end_by_themselves() -> None:
    batches: Any = iter(data.DataLoader(Long(), num_workers=2, prefetch_factor=4))
    next(batches)
    processes = batches._workers._processes
    batches._workers.stop()
    assert [each.exitcode for each in processes] == [0, 0]
