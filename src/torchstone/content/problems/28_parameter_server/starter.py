from multiprocessing.connection import Connection

from torch import Tensor


class ParameterServer:
    """Hold parameters for several workers; every method may be called from any thread."""

    version: int  # updates applied so far
    clocks: list[int]  # pushes of each worker

    def __init__(
        self,
        params: dict[str, Tensor],
        *,
        num_workers: int,
        lr: float,
        mode: str = "sync",
        staleness: int = 0,
        momentum: float = 0.0,
    ):
        raise NotImplementedError

    def pull(self, worker: int) -> dict[str, Tensor]:
        """Return private copies of all parameters; wait as the mode demands."""
        raise NotImplementedError

    def push(self, worker: int, grads: dict[str, Tensor]) -> int:
        """Take gradients without waiting; return the version."""
        raise NotImplementedError

    def leave(self, worker: int) -> None:
        """Count this worker no longer."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Tensor]:
        """Return the parameters as they are, without waiting."""
        raise NotImplementedError


def serve(server: ParameterServer, conns: list[Connection]) -> None:
    """Answer worker i on conns[i], until all have closed or died."""
    raise NotImplementedError


class Client:
    """The worker's end of a pipe."""

    def __init__(self, conn: Connection):
        raise NotImplementedError

    def pull(self) -> dict[str, Tensor]:
        raise NotImplementedError

    def push(self, grads: dict[str, Tensor]) -> int:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError
