"""Zygote of the proof: import torch once, and fork a process for each topic.

``python -m torchstone.judge.questions [--jobs N]`` reads an `Order` from each line of standard
input, and writes a `TopicFacts` for each to a line of standard output, as they end.

The cells belong to this package, or to the author who runs the check, so there is no sandbox.
"""

from __future__ import annotations

import argparse
import fcntl
import gc
import os
import sys
import traceback
import warnings
from collections.abc import Iterable
from typing import BinaryIO, NoReturn

import msgspec
import torch
import torch._dynamo
import torch.utils.checkpoint
import torch.utils.flop_counter

from torchstone.judge.questions.facts import Failure, Order, Run, TopicFacts
from torchstone.judge.questions.forks import end_with_parent
from torchstone.judge.questions.trial import try_topic


def main() -> None:
    """Prove the ordered topics until the input ends."""
    parser = argparse.ArgumentParser(prog="torchstone.judge.questions")
    parser.add_argument("--jobs", type=int, default=1)
    jobs = parser.parse_args().jobs
    end_with_parent()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    warm()
    serve(sys.stdin.buffer, answers, jobs)


def warm() -> None:
    """Run torch's first forward-mode derivative and FLOP counter, which all topics then share."""
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = torch.ones(2, requires_grad=True)
        # The first call compiles decompositions.
        torch.func.jvp(torch.sin, (x.detach(),), (torch.ones(2),))
        with torch.utils.flop_counter.FlopCounterMode(display=False):
            torch.mm(torch.ones(2, 2), torch.ones(2, 2))
    gc.collect()
    gc.freeze()


def serve(orders: Iterable[bytes], answers: BinaryIO, jobs: int) -> None:
    """Fork a process for each order, at most `jobs` at a time; each writes its own line."""
    running: set[int] = set()
    lock = os.memfd_create("answers")
    for line in orders:
        if len(running) >= jobs:
            running.discard(os.wait()[0])
        order = msgspec.json.decode(line, type=Order)
        process = os.fork()
        if process == 0:
            _answer(order, answers, lock)
        running.add(process)
    while running:
        running.discard(os.wait()[0])


def _answer(order: Order, answers: BinaryIO, lock: int) -> NoReturn:
    try:
        end_with_parent()
        # Output of torch and of cells' processes must not mix with answers; their input is empty.
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        facts = try_topic(order, torch.__version__.partition("+")[0])
    # The host waits for a line, so the error is reported in it.
    except BaseException as error:  # noqa: BLE001
        words = "".join(traceback.format_exception(error))[-2000:]
        facts = TopicFacts(
            folder=order.folder, setup=Run(failure=Failure(cell="setup", line=0, error=words))
        )
    try:
        # The kernel may split a line this long, so writers take a lock.
        fcntl.lockf(lock, fcntl.LOCK_EX)
        answers.write(msgspec.json.encode(facts) + b"\n")
        answers.flush()
    finally:
        os._exit(0)
