"""``Reducer``: the gradient buckets of a module, launched in a fixed order as they fill."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from torch import Tensor, nn
from torch.nn import Parameter

from torchstone.distributed.buckets import Bucket, make_buckets
from torchstone.distributed.comm.protocol import Comm, Work


class Reducer:
    """Averaging of the gradients of a module, bucket by bucket.

    Raises:
        RuntimeError: No parameter requires a gradient.

    Attributes:
        bucket_of: The bucket of each parameter that requires a gradient.
        works: The launched exchanges.
    """

    def __init__(
        self,
        module: nn.Module,
        comm: Comm,
        *,
        bucket_mb: float,
        first_bucket_mb: float,
        order: str,
    ) -> None:
        trained = [each for each in module.parameters() if each.requires_grad]
        if not trained:
            raise RuntimeError("DataParallel: no parameter of the module requires a gradient.")
        groups = make_buckets(trained, cap_mb=bucket_mb, first_mb=first_bucket_mb)
        self._comm, self._order = comm, order
        self._buckets = [Bucket(each) for each in groups]
        self.bucket_of = {key: each for each in self._buckets for key in each.parameters}
        self.begin()

    def require_same(self, module: nn.Module) -> None:
        """Raise an error if the parameters of a module are no longer those in the buckets."""
        for parameter in module.parameters():
            bucket = self.bucket_of.get(parameter)
            if bucket is not None:
                bucket.require_held(parameter)
            elif parameter.requires_grad:
                raise RuntimeError(
                    "DataParallel: a parameter was added, replaced, or no longer frozen, after "
                    "the module was wrapped; wrap it again."
                )

    def begin(self) -> None:
        """Start an exchange of all buckets."""
        self.works: list[Work] = []
        for bucket in self._buckets:
            bucket.missing = len(bucket.parameters)

    @property
    def is_launched(self) -> bool:
        """Return whether the exchanges of all buckets have been launched."""
        return len(self.works) == len(self._buckets)

    def fill(self, parameter: Parameter) -> None:
        """Copy a gradient to its bucket."""
        bucket = self.bucket_of[parameter]
        bucket.take(parameter)
        bucket.missing -= 1

    def launch(self) -> None:
        """Launch the full buckets, always in the same order, because collectives must match."""
        while not self.is_launched and not self._buckets[len(self.works)].missing:
            number = len(self.works)
            flat = self._buckets[number].flat
            with self._comm.ledger.labelled(f"bucket {number}"):
                self.works.append(self._comm.all_reduce(flat, op="mean", order=self._order))

    def hand_out(self, used: Collection[Parameter], kept: Mapping[Parameter, Tensor]) -> None:
        """Wait for the means; assign them to used parameters, and kept gradients to others."""
        for number, work in enumerate(self.works):
            work.wait()
            for parameter, view in self._buckets[number].views():
                # If no rank has used it, weight decay and momentum must not see a zero gradient.
                parameter.grad = view if parameter in used else kept.get(parameter)
