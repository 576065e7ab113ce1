"""CPU seconds of the cells of a question, and the deadline of a run, by what its topic needs."""

from __future__ import annotations

import time

from torchstone.bank.questions.topic import Topic

# A question of a topic that needs nothing; then by need.
PLAIN_SECONDS = 0.3
BY_NEED = {"processes": 3.0, "compile": 20.0, "compiler": 20.0, "cudasim": 20.0}
_LIBRARY_SECONDS = 3.0
# The loop of `slowness`, and its CPU seconds on the machine for which the budgets are set.
_LOOP, _LOOP_SECONDS = 300_000, 0.024
# A run may wait for others of the machine, and for processes of its own.
_DEADLINE_SECONDS = 300.0
_DEADLINE_FACTOR = 30.0


def budget_of(topic: Topic) -> float:
    """Return the CPU seconds that the cells of one question may take."""
    return max(
        PLAIN_SECONDS, *(BY_NEED.get(need, _LIBRARY_SECONDS) for need in topic.spec.needs), 0
    )


def slowness() -> float:
    """Return how many times slower this machine is now than that of the budgets; at least 1.

    Processes that share a core make the CPU seconds of each other longer.
    """
    started = time.process_time()
    total = 0
    for number in range(_LOOP):
        total += number
    return max(1.0, (time.process_time() - started) / _LOOP_SECONDS)


def deadline_of(topic: Topic) -> float:
    """Return the seconds after which a run of cells is ended."""
    return max(_DEADLINE_SECONDS, _DEADLINE_FACTOR * budget_of(topic))
