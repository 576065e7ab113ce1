"""Imports that run before processes are forked, so that forks need not repeat them."""

from __future__ import annotations

import warnings


def import_torch() -> None:
    """Import torch single-threaded and trigger its lazy imports, so that forks inherit them."""
    import torch

    torch.set_num_threads(1)
    # torch.optim, torch.func and checkpoint import it on first use, which a job could not.
    import torch._dynamo
    import torch.utils._device
    import torch.utils._python_dispatch

    x = torch.ones(4, 4, requires_grad=True)
    layer = torch.nn.Linear(4, 4)
    y = torch.tanh(layer(x)).exp().sum()
    # A cotangent makes torch.autograd import SymPy.
    (gradient,) = torch.autograd.grad(y, x, torch.ones(()), create_graph=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        torch.autograd.backward((gradient * gradient).sum())
    torch.optim.SGD(layer.parameters(), lr=0.1).step()
    # Standard library modules for programs with workers, and modules that a problem may close.
    import multiprocessing.heap
    import multiprocessing.pool
    import multiprocessing.popen_fork
    import multiprocessing.queues
    import multiprocessing.resource_sharer
    import multiprocessing.synchronize  # noqa: F401

    torch.ones(2, dtype=torch.bfloat16).float().numpy()
    repr(torch.ones(2, dtype=torch.float64))
    # Warnings about lines of torch, or of the judge's calls, are not part of the learner's output;
    # warnings about the learner's own lines are.
    warnings.filterwarnings("ignore", module=r"(torch|child|probe)(\.|\Z)")


def import_jobs() -> None:
    """Import the modules that a job runs.

    Call it before ``bans.bans.prepare``, which trusts them.
    """
    from .. import driver  # noqa: F401
    from ..loaders import submission  # noqa: F401
    from ..processes import leader, rank  # noqa: F401
    from ..scripts import series  # noqa: F401
    from . import job  # noqa: F401
