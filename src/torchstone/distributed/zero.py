"""``Zero``: optimizer states, gradients and parameters sharded over the ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.autograd import Variable
from torch.nn import Parameter
from torch.optim import Optimizer

from torchstone.distributed.agreement import begin_alike, used_somewhere
from torchstone.distributed.buckets import make_buckets
from torchstone.distributed.comm.protocol import Comm
from torchstone.distributed.elementwise import require_elementwise
from torchstone.distributed.exact_norm import sum_of_squares
from torchstone.distributed.layout import Layout
from torchstone.distributed.passes import Syncing
from torchstone.distributed.patience import Patience
from torchstone.distributed.sharded import Sharded, default_units
from torchstone.distributed.shards import (
    Shard,
    ShardParameter,
    has_room,
    num_bytes,
    require_unchanged,
)
from torchstone.distributed.state import ShardedState
from torchstone.distributed.world import current_world
from torchstone.distributed.zero_state import put_back, state_of

STAGES = (0, 1, 2, 3)
# By stage, how long a rank waits in a backward pass until the other ranks have arrived too. In
# stage 3 the gathers keep the ranks together; if branches differ, the others may wait for a
# gather of this rank.
_PATIENCE_S = (0.0, 0.0, 1.0, 0.05)


class Zero(Syncing):
    """Trainer of a module whose optimizer states are sharded over the ranks.

    Each rank computes its own part of the batch. ``backward`` leaves the mean of the gradients over
    the ranks in the shard of each rank; ``.grad`` of the parameters is None afterwards. ``step``
    updates the shard, and distributes the parameters to all ranks. The parameters are bit-equal to
    those of one process that adds the gradients of the ranks in rank order and divides by their
    number, for every optimizer that treats elements independently: SGD, Adam and AdamW of torch do,
    its SGD with ``fused=True`` does not.

    - Stage 0 shards nothing: every rank has and updates everything.
    - Stage 1 shards the states of the optimizer.
    - Stage 2 also frees the gradients of a bucket after their exchange.
    - Stage 3 also shards the parameters: a unit of the module is gathered before its use and freed
      after it. Outside of ``full_parameters`` and of the module's own ``forward`` they are empty.

    Parameters that do not require a gradient stay whole on each rank. Those in bfloat16 or float16
    are updated in float32, in which their gradients are added, too.

    Args:
        module: The module; its parameters and buffers are overwritten by those of rank 0. Call
            it as before.
        optimizer: Function that creates the optimizer of a list of parameters: the ranges of this
            rank, each as a flat ``ShardParameter`` with the name and shape of the whole parameter.
        stage: 0, 1, 2 or 3.
        comm: The ranks; None for all of them.
        bucket_mb: The size of a bucket of stages 1 and 2, in MiB.
        order: The order of the sums, as in ``Comm``. ``"float64"`` also adds the micro-batches of a
            rank in float64, and sends 8 bytes per element: then the bits depend neither on which
            rank computes which micro-batch nor on the number of ranks.
        divide_by: The divisor of the sum of the gradients; by default the number of ranks. Give the
            number of micro-batches of a step if it differs between ranks.
        overlap: Whether a bucket is exchanged during the backward pass.
        units: For stage 3, function that returns the modules to gather as one; by default the
            layers of the largest ``ModuleList`` or ``Sequential``, or else the children of the
            module except embeddings.
        prefetch: For stage 3, the number of units to gather ahead.

    Raises:
        RuntimeError: No parameter requires a gradient.
        TypeError: ``optimizer`` does not return an optimizer.
        ValueError: ``stage`` is unknown, or the optimizer does not treat elements independently:
            Adafactor, LBFGS, Muon.
        Refusal: The modules of the ranks differ.

    Complexity:
        Each rank sends per step and byte of parameters 2 (N - 1) / N bytes in stages 0 to 2, and at
        most 3 (N - 1) / N bytes in stage 3.

    Source:
        Rajbhandari et al., ZeRO (2020), sections 5 and 7.
    """

    def __init__(
        self,
        module: nn.Module,
        optimizer: Callable[[list[Parameter]], Optimizer],
        *,
        stage: int,
        comm: Comm | None = None,
        bucket_mb: float = 8.0,
        order: str = "rank",
        divide_by: int | None = None,
        overlap: bool = True,
        units: Callable[[nn.Module], list[nn.Module]] | None = None,
        prefetch: int = 1,
    ) -> None:
        if stage not in STAGES:
            raise ValueError(f"Zero: stage is {stage}; use 0, 1, 2 or 3.")
        named = [pair for pair in module.named_parameters() if pair[1].requires_grad]
        if not named:
            raise RuntimeError("Zero: no parameter of the module requires a gradient.")
        self.module = module
        self.stage = stage
        self._comm = current_world().comm() if comm is None else comm
        self._overlap = overlap
        begin_alike(module, self._comm)
        self._num_elements = sum(each.numel() for _, each in named)
        self._sharded: Sharded | None = None
        if stage == 3:
            parts = (units or default_units)(module)
            self._sharded = Sharded(
                module, parts, self._comm, prefetch=prefetch, order=order, divide_by=divide_by
            )
            self._shards = self._sharded.shards
        else:
            self._shards = self._cut(named, bucket_mb, order, divide_by)
        self._shard_of = {
            member.parameter: shard for shard in self._shards for member in shard.layout.members
        }
        self._pieces = self._in_order([parameter for _, parameter in named])
        # A rank without elements has an optimizer too, so that all have the same groups and states.
        self.optimizer = require_elementwise(
            optimizer([*self._pieces] or [self._shards[0].nothing()])
        )
        self._used: set[Parameter] = set()
        self._seen: set[Parameter] = set()
        self._num_launched = 0
        self._num_finished = 0
        self._patience = Patience(_PATIENCE_S[stage])
        self._num_steps = 0
        # Whether a backward pass is running, and whether it exchanges.
        self._is_queued = self._will_exchange = False
        for _, parameter in named:
            parameter.register_post_accumulate_grad_hook(self._take)

    def skip(self, *, exchange: bool = False) -> None:
        """Take part in a micro-batch that other ranks compute and this one does not.

        In stage 3 all ranks gather the parameters for each micro-batch; call this before the
        micro-batches of this rank. In other stages there is nothing to gather.

        Args:
            exchange: Whether the others exchange gradients at its end. A rank without any
                micro-batch in a step sets this for the last one, and adds nothing to the sums.
        """
        if self._sharded is not None:
            self._sharded.skip()
        if exchange:
            self._exchange()

    def zero_grad(self) -> None:
        """Discard all gradients, including those of a backward pass that has raised."""
        if self._is_queued:
            # The other ranks wait for the collectives that it has left out.
            self._finish()
        self._used.clear()
        for parameter in self._shard_of:
            parameter.grad = None
        for shard in self._shards:
            shard.forget()
        for piece in self._pieces:
            piece.grad = None

    @torch.no_grad()
    def clip_grad_norm_(self, max_norm: float) -> Tensor:
        """Scale the gradients so that their norm is at most ``max_norm``; return the original norm.

        The norm is bit-equal for every number of ranks, and in every stage.
        """
        parts = [each for shard in self._shards for each in shard.counted_grads()]
        total = sum_of_squares(parts, self._num_elements, self._comm) ** 0.5
        norm = torch.tensor(total, dtype=torch.float32, device=self._shards[0].layout.device)
        # The same formula as in torch.nn.utils.clip_grad_norm_.
        coefficient = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
        for shard in self._shards:
            if shard.grad is not None:
                shard.grad.mul_(coefficient)
        return norm

    @torch.no_grad()
    def step(self) -> None:
        """Update the shard of this rank, and distribute the parameters to all ranks.

        Raises:
            RuntimeError: The last backward pass has raised, or the parameters of the module are no
                longer those that were sharded.
        """
        if self._is_queued:
            raise RuntimeError(
                "Zero.step: the last backward pass has raised, so gradients are missing; call "
                "zero_grad and begin the step again on all ranks."
            )
        require_unchanged(self.module, self._shard_of)
        used = used_somewhere(self._used, self._shard_of, self._comm)
        for piece in self._pieces:
            shard = self._shard_of[piece.whole]
            is_used = piece.whole in used and shard.grad is not None
            piece.grad = piece.piece.of(shard.grad) if is_used and shard.grad is not None else None
        self.optimizer.step()
        self._num_steps += 1
        for work in [shard.publish() for shard in self._shards]:
            if work is not None:
                work.wait()

    def state_dict(self) -> ShardedState:
        """Return the state of this rank for ``checkpoint.save``, without copying it."""
        return state_of(self.module, self._shards, self.optimizer, self._num_steps)

    @torch.no_grad()
    def load_state_dict(self, state: ShardedState) -> None:
        """Load a state that ``checkpoint.load`` has filled.

        Raises:
            Refusal: The state is of another optimizer.
        """
        put_back(state, self.module, self._shards, self.optimizer)
        self._num_steps = state.step
        for work in [shard.publish() for shard in self._shards]:
            if work is not None:
                work.wait()

    @contextmanager
    def full_parameters(self) -> Iterator[None]:
        """Provide whole parameters on every rank within the context, for evaluation and export.

        Values written to them are kept, in stage 3 by the rank that has the shard.
        """
        if self._sharded is None:
            yield
        else:
            with self._sharded.gathered():
                yield
        for shard in self._shards:
            shard.take_over()

    def memory(self) -> dict[str, int]:
        """Return the number of bytes in use by parameters, gradients, optimizer and buffers."""
        parameters = list(self.module.parameters())
        grads = [each.grad for each in parameters if each.grad is not None]
        states = [
            value
            for state in self.optimizer.state.values()
            for value in state.values()
            if isinstance(value, Tensor)
        ]
        masters = [shard.master for shard in self._shards if shard.is_apart]
        return {
            "parameters": num_bytes([*parameters, *(shard.values for shard in self._shards)]),
            "gradients": num_bytes([*grads, *(t for s in self._shards for t in s.gradients())]),
            "optimizer": num_bytes([*states, *masters]),
            "buffers": num_bytes(list(self.module.buffers())),
        }

    def _cut(
        self,
        named: Sequence[tuple[str, Parameter]],
        bucket_mb: float,
        order: str,
        divide_by: int | None,
    ) -> list[Shard]:
        """Create the shards of stages 0 to 2: buckets of parameters, the last ones first."""
        names = {parameter: name for name, parameter in named}
        return [
            Shard(
                Layout([(names[each], each) for each in bucket], self._comm.size),
                self._comm,
                order=order,
                divide_by=divide_by,
                is_transient=self.stage == 2,
                is_whole=self.stage == 0,
            )
            for bucket in make_buckets([each for _, each in named], cap_mb=bucket_mb)
        ]

    def _in_order(self, parameters: Sequence[Parameter]) -> list[ShardParameter]:
        """Return the pieces of this rank in the order of the module's parameters."""
        places = {parameter: place for place, parameter in enumerate(parameters)}
        pieces = [piece for shard in self._shards for piece in shard.pieces]
        return sorted(pieces, key=lambda piece: places[piece.whole])

    def _take(self, parameter: Tensor) -> None:
        """Process a gradient that has been computed."""
        assert isinstance(parameter, Parameter)
        self._used.add(parameter)
        if not self._is_queued:
            self._is_queued, self._will_exchange = True, self._is_syncing
            Variable._execution_engine.queue_callback(self._finish)
        if self._is_syncing:
            self._move(parameter)
        elif self._shard_of[parameter].is_wide:
            self._shard_of[parameter].add(parameter)
        if self._sharded is not None:
            self._sharded.taken(parameter)

    def _move(self, parameter: Parameter) -> None:
        """Move a gradient to its buffer; launch full buffers, always in the same order."""
        if parameter in self._seen:
            raise RuntimeError(
                "Zero: a parameter got two gradients in one backward pass, the second one after "
                "the first was taken; use checkpoint(use_reentrant=False)."
            )
        self._seen.add(parameter)
        shard = self._shard_of[parameter]
        if not shard.is_begun:
            self._make_room(shard)
        shard.take(parameter)
        if self._overlap:
            self._launch()

    def _launch(self) -> None:
        shards = self._shards
        while self._num_launched < len(shards) and shards[self._num_launched].is_full:
            shards[self._num_launched].reduce()
            self._num_launched += 1

    @torch.no_grad()
    def _make_room(self, shard: Shard, *, is_last: bool = False) -> None:
        """Wait until there is room for one more buffer besides those of pending exchanges.

        A rank waits only for exchanges that all ranks have launched. If branches differ, another
        rank may launch one only after a collective that this rank reaches later.

        Args:
            shard: The shard that needs a buffer.
            is_last: Whether this rank has run all other collectives of the pass.
        """
        if self.stage < 2:
            return
        while not has_room(shard, self._shards, self._num_finished, self._num_launched):
            first = self._shards[self._num_finished]
            if not (is_last or first.is_joined(timeout_s=self._patience.left_s)):
                self._patience.give_up()
                return
            first.finish()
            self._num_finished += 1

    @torch.no_grad()
    def _finish(self) -> None:
        """Wait for all gradients at the end of the backward pass."""
        self._is_queued = False
        # Do this before waiting: other ranks may need the gathers that this one has left out.
        if self._sharded is not None:
            self._sharded.end_backward()
        if self._will_exchange:
            self._exchange()

    @torch.no_grad()
    def _exchange(self) -> None:
        """Launch the remaining exchanges, with zeros for missing gradients, and wait for all."""
        for shard in self._shards[self._num_launched :]:
            self._make_room(shard, is_last=True)
            shard.fill(self._seen)
            self._launch()
        for shard in self._shards[self._num_finished :]:
            shard.finish()
        self._seen.clear()
        self._num_launched = self._num_finished = 0
        self._patience.end_pass()
