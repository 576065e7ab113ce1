"""The ranks of a start find each other, whatever those of another start have left in the store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch.distributed as dist

from torchstone.distributed import Refusal, init
from torchstone.distributed.session import join, require_alike

pytestmark = [pytest.mark.torch]


@pytest.fixture
def store() -> Any:
    return dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)


def start(store: Any, ranks: list[int], size: int, timeout_s: float = 20.0) -> list[Any]:
    """Let some ranks join at once."""
    clones = [store.clone() for _ in ranks]
    with ThreadPoolExecutor(len(ranks)) as pool:
        futures = [
            pool.submit(join, clone, rank, size, timeout_s=timeout_s)
            for clone, rank in zip(clones, ranks, strict=True)
        ]
        return [future.result() for future in futures]


def test_all_ranks_of_a_start_share_a_part_of_the_store(store: Any) -> None:
    first, *others = start(store, [0, 1, 2, 3], 4)
    first.set("key", "value")
    assert all(each.get("key") == b"value" for each in others)


def test_the_next_start_sees_nothing_of_the_one_before(store: Any) -> None:
    for number in range(3):
        parts = start(store, [2, 1, 0], 3)
        assert not parts[0].check(["key"])
        parts[2].set("key", str(number))
        assert parts[0].get("key") == str(number).encode()


def test_a_start_that_died_half_way_does_not_hold_up_the_next(store: Any) -> None:
    with pytest.raises(TimeoutError):
        start(store, [0, 1], 3, timeout_s=0.3)
    parts = start(store, [1, 0, 2], 3)
    parts[0].set("key", "value")
    assert parts[2].get("key") == b"value"


def test_a_rank_that_comes_before_rank_0_waits_for_the_new_name(store: Any) -> None:
    start(store, [0, 1], 2)
    with ThreadPoolExecutor(1) as pool:
        early = pool.submit(join, store.clone(), 1, 2, timeout_s=20.0)
        with pytest.raises(TimeoutError):
            early.result(timeout=0.3)
        late = join(store.clone(), 0, 2, timeout_s=20.0)
        late.set("key", "value")
        assert early.result(timeout=20).get("key") == b"value"


def test_a_rank_that_never_comes_is_a_timeout(store: Any) -> None:
    with pytest.raises(TimeoutError, match="hello/1"):
        join(store, 0, 2, timeout_s=0.2)
    with pytest.raises(TimeoutError):
        join(store, 1, 2, timeout_s=0.2)


def compare(store: Any, facts: list[dict[str, str]]) -> list[str]:
    """Return what each rank raises, "" if nothing, where they have these facts."""

    def one(rank: int) -> str:
        size = int(facts[rank]["world_size"])
        part = dist.PrefixStore("start", store.clone())
        try:
            require_alike(part, rank, size, facts[rank], timeout_s=20.0)
        except Refusal as refusal:
            return str(refusal)
        return ""

    with ThreadPoolExecutor(len(facts)) as pool:
        return list(pool.map(one, range(len(facts))))


def test_ranks_with_the_same_facts_go_on(store: Any) -> None:
    assert compare(store, [{"world_size": "3", "mesh": "dp"}] * 3) == ["", "", ""]


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ({"world_size": "4", "mesh": "dp"}, "Rank 2 was started with world_size 4, and rank 0"),
        ({"world_size": "3", "mesh": "tp"}, "Rank 2 was started with mesh tp, and rank 0 with dp"),
    ],
)
def test_a_rank_with_another_fact_is_named_by_all(
    store: Any, last: dict[str, str], words: str
) -> None:
    found = compare(store, [{"world_size": "3", "mesh": "dp"}] * 2 + [last])
    assert all(each.startswith(words) for each in found)


@pytest.mark.parametrize("timeout_s", [0.0, -1.0, float("nan"), float("inf")])
def test_a_timeout_that_is_none_is_refused(timeout_s: float) -> None:
    with pytest.raises(Refusal, match="timeout_s is") as caught:
        init(timeout_s=timeout_s)
    assert caught.value.code == "number"
