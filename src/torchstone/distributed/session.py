"""``join``: the ranks of one start agree on a session name that no earlier start has used.

``require_alike``: check that the ranks were started with equal settings, before they connect.

The store of torchrun outlives a restart, together with the addresses that dead ranks have written.
A rank that reads one of them cannot connect. Launchers on two hosts may count the same restart
differently, so the count cannot serve as the name.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress

from torch._C._distributed_c10d import PrefixStore, Store

from torchstone.distributed.refusal import Refusal

_SESSION = "session"
_POLL_S = 0.02
_LEAVE_S = 2.0


def join(store: Store, rank: int, world_size: int, *, timeout_s: float) -> Store:
    """Return a part of the store that no other start uses.

    Rank 0 names the session. Each other rank answers with a random number, which rank 0 returns, so
    that neither mistakes what is left of another session for an answer.

    Raises:
        TimeoutError: A rank did not respond in time.
    """
    deadline = time.monotonic() + timeout_s
    if rank == 0:
        name = uuid.uuid4().hex
        store.set(_SESSION, name)
        for other in range(1, world_size):
            answer = _wait_for(store, f"{name}/hello/{other}", deadline)
            store.set(f"{name}/go/{other}", answer)
    else:
        name = _answer(store, rank, deadline)
    return PrefixStore(name, store)


def require_alike(
    store: Store, rank: int, world_size: int, facts: Mapping[str, str], *, timeout_s: float
) -> None:
    """Raise an error on all ranks if the facts of a rank differ from those of rank 0.

    Args:
        store: The store of the ranks of this start.
        rank: This rank.
        world_size: The number of ranks, as known to this rank.
        facts: Name -> value, as text.
        timeout_s: The timeout in seconds.

    Raises:
        Refusal: The facts differ.
        TimeoutError: A rank did not respond in time.
    """
    deadline = time.monotonic() + timeout_s
    store.set(f"facts/{rank}", json.dumps(dict(facts)))
    if rank == 0:
        verdict = "null"
        for other in range(1, world_size):
            came = json.loads(_wait_for(store, f"facts/{other}", deadline))
            unlike = [name for name in facts if came[name] != facts[name]]
            if unlike:
                name = unlike[0]
                verdict = json.dumps([other, name, came[name], facts[name]])
                break
        store.set("verdict", verdict)
    else:
        verdict = _wait_for(store, "verdict", deadline)
    if verdict != "null":
        store.set(f"seen/{rank}", "")
        if rank == 0:
            # The store may end with this process, so the other ranks read it first.
            with suppress(TimeoutError):
                for other in range(1, world_size):
                    _wait_for(store, f"seen/{other}", min(deadline, time.monotonic() + _LEAVE_S))
        other, name, came, wanted = json.loads(verdict)
        raise Refusal("ranks_contradict", rank=other, name=name, came=came, wanted=wanted)


def _answer(store: Store, rank: int, deadline: float) -> str:
    mine = uuid.uuid4().hex
    while True:
        name = _wait_for(store, _SESSION, deadline)
        store.set(f"{name}/hello/{rank}", mine)
        while _get(store, _SESSION) == name:
            if _get(store, f"{name}/go/{rank}") == mine:
                return name
            _sleep_until(deadline, f"{name}/go/{rank}")


def _wait_for(store: Store, key: str, deadline: float) -> str:
    while (value := _get(store, key)) is None:
        _sleep_until(deadline, key)
    return value


def _get(store: Store, key: str) -> str | None:
    return store.get(key).decode() if store.check([key]) else None


def _sleep_until(deadline: float, key: str) -> None:
    if time.monotonic() > deadline:
        raise TimeoutError(f"nobody has written {key}")
    time.sleep(_POLL_S)
