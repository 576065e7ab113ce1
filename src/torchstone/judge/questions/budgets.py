"""CPU budget of a question's cells, and deadline of a run, by the needs of its topic."""

from __future__ import annotations

import time

from torchstone.bank.questions.topic import Topic

# CPU seconds of a question in a topic without needs; the others are by need.
PLAIN_SECONDS = 0.3
BY_NEED = {"processes": 3.0, "compile": 20.0, "compiler": 20.0, "cudasim": 20.0}
_LIBRARY_SECONDS = 3.0
# The loop of `slowness`, and its CPU seconds on the machine for which the budgets are set.
_LOOP, _LOOP_SECONDS = 300_000, 0.024
# A run may wait for other programs of the machine, and for its own child processes.
_DEADLINE_SECONDS = 300.0
_DEADLINE_FACTOR = 30.0


def budget_of(topic: Topic) -> float:
    """Return the maximum CPU seconds of the cells of one question."""
    return max(
        PLAIN_SECONDS, *(BY_NEED.get(need, _LIBRARY_SECONDS) for need in topic.spec.needs), 0
    )


def slowness() -> float:
    """Return the current slowness of this machine relative to the budgets' machine; at least 1.

    Processes that share a core increase each other's CPU seconds.
    """
    started = time.process_time()
    total = 0
    for number in range(_LOOP):
        total += number
    return max(1.0, (time.process_time() - started) / _LOOP_SECONDS)


def deadline_of(topic: Topic) -> float:
    """Return the seconds after which a run of cells is killed."""
    return max(_DEADLINE_SECONDS, _DEADLINE_FACTOR * budget_of(topic))
