"""Each bad input through the interface: its own code, a sentence in both languages, in time."""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import nn

from torchstone.core.i18n import LANGS
from torchstone.distributed import DataParallel, Mesh, MicroBatches, run_threads
from torchstone.distributed.__main__ import main
from torchstone.distributed.agreement import require_equal_values
from torchstone.distributed.comm.protocol import Deadlock, Mismatch, RankLost
from torchstone.distributed.refusal import Refusal, refusal_of
from torchstone.distributed.world import MOST_THREADS, World

pytestmark = [pytest.mark.torch]


def unlike_models(world: World) -> None:
    DataParallel(nn.Linear(2, 2 + world.rank), comm=world.comm())


def unlike_data(world: World) -> None:
    require_equal_values(world.comm(), num_samples=8 + world.rank)


def many_samples() -> None:
    MicroBatches(num_samples=4, batch_size=8, micro_batch_size=1, seed=0)


@pytest.mark.parametrize(
    ("provoke", "code", "part"),
    [
        (lambda: Mesh.of({"dp": 3}, 8), "mesh_size", "8"),
        (lambda: run_threads(unlike_models, 2), "models_differ", "rank 1"),
        (lambda: run_threads(unlike_data, 2), "data_differ", "num_samples"),
        (many_samples, "batch_large", "8"),
        (lambda: run_threads(lambda world: None, 10_000), "world_limit", str(MOST_THREADS)),
        (lambda: run_threads(lambda world: None, 0), "world_number", "0"),
    ],
)
def test_a_bad_input_is_refused_in_both_languages(
    provoke: Callable[[], object], code: str, part: str
) -> None:
    with pytest.raises(Refusal) as caught:
        provoke()
    assert caught.value.code == code
    for lang in LANGS:
        assert part in caught.value.message(lang)
        assert caught.value.hint(lang)


def unlike_sizes(world: World) -> None:
    world.comm().all_reduce(torch.zeros(1 + world.rank)).wait()


def unlike_orders(world: World) -> None:
    if world.rank:
        world.comm().barrier()
    else:
        world.comm().all_reduce(torch.zeros(1)).wait()
        world.comm().barrier()


@pytest.mark.parametrize(
    ("work", "code", "part"),
    [
        (unlike_sizes, "collectives_differ", "all_reduce #0"),
        (unlike_orders, "collectives_stuck", "barrier"),
    ],
)
@pytest.mark.parametrize("lang", LANGS)
def test_collectives_that_do_not_match_end_a_command_without_a_traceback(
    work: Callable[[World], None],
    code: str,
    part: str,
    lang: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def events(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
        run_threads(work, 2)
        yield {"ok": True}

    module = importlib.import_module("torchstone.distributed.commands.simulate")
    monkeypatch.setattr(module, "events", events)
    assert main(["simulate", "--lang", lang]) == 2
    error = json.loads(capsys.readouterr().out)
    assert error["code"] == code
    assert part in error["message"]


def test_other_errors_are_no_refusals() -> None:
    assert refusal_of(RuntimeError("out of memory")) is None
    codes = [refusal_of(each("x")) for each in (Mismatch, Deadlock, RankLost)]
    assert [each and each.code for each in codes] == [
        "collectives_differ",
        "collectives_stuck",
        "rank_lost",
    ]


def test_values_that_a_rank_lacks_differ() -> None:
    def work(world: World) -> None:
        given = {"seed": 3} if world.rank == 2 else {"seed": 3, "text": "digest"}
        require_equal_values(world.comm(), **given)

    with pytest.raises(Refusal, match="rank 2 has other data than rank 0: text is nothing instead"):
        run_threads(work, 3)
