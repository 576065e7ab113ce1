"""CPU time that the model solution of a problem may take over all cases.

Above it the cases are too slow to be judged on every save. It is CPU time, because a proof must not
fail where the machine is busy.
"""

from torchstone.bank.schema import Kind

_PLAIN_MS = 800.0
_OF_KIND_MS = {
    # The simulator is slower than torch.
    Kind.CUDA: 1000.0,
    Kind.CPP: 1500.0,
    # `opcheck` and `torch.compile` alone take half a second.
    Kind.OPERATOR: 2000.0,
    Kind.PACKAGE: 4000.0,
    # Each case forks up to four ranks, which make a process group.
    Kind.DISTRIBUTED: 4000.0,
    # Each case starts up to a dozen processes.
    Kind.SCRIPT: 8000.0,
    # Each case forks a program, which forks its workers.
    Kind.LOADER: 4000.0,
}


def budget_cpu_ms(kind: Kind) -> float:
    """Return the milliseconds of CPU time for a problem of this kind."""
    return _OF_KIND_MS.get(kind, _PLAIN_MS)
