"""Adaptive softmax for many classes: AdaptiveLogSoftmaxWithLoss.

Source:
    Grave et al., Efficient softmax approximation for GPUs (2017).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.containers import ModuleList, Sequential
from torchstone.microtorch.nn.modules.linear import Linear
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.ops.joining import cat
from torchstone.microtorch.tensor import Tensor

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Adaptive softmax: a head for frequent classes and clusters, a tail for each cluster.

    Attributes:
        cutoffs: Class indices at which clusters end; classes are sorted by descending frequency.
        head: Logits of the frequent classes and of the clusters.
        tail: Logits of the classes of each cluster, with fewer and fewer features.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        given = list(cutoffs)
        if not given:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        is_rising = given == sorted(set(given)) and 0 < given[0] and given[-1] < n_classes
        if not is_rising or any(int(each) != each for each in given):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                "order, where each value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.div_value = in_features, n_classes, div_value
        self.cutoffs, self.head_bias = [*given, n_classes], head_bias
        self.shortlist_size, self.n_clusters = given[0], len(given)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, dtype=dtype)
        self.tail = ModuleList()
        for number, (low, high) in enumerate(pairwise(self.cutoffs)):
            hidden = int(in_features // div_value ** (number + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, hidden, bias=False, dtype=dtype),
                    Linear(hidden, high - low, bias=False, dtype=dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Initialize all parameters again."""
        for linear in (self.head, *(each for pair in self.tail for each in pair)):
            linear.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> Any:
        """Return the log-probability of each sample's target class, and the mean loss."""
        dim = target_.dim()
        if dim == 1 and len(input_) != len(target_):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if dim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if input_.dim() != dim + 1:
            kind = "2D" if dim else "1D"
            raise RuntimeError(
                f"{dim}D target tensor expects {kind} input tensors, but found inputs with size "
                f"{input_.size()}."
            )
        target = target_ if dim else target_.unsqueeze(0)
        low, high = target.min().item(), target.max().item()
        if low < 0 or high >= self.n_classes:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{low}, {high}] were found. "
            )
        input = input_ if dim else input_.unsqueeze(0)
        place = target
        result = input.new_zeros(len(target))
        for number, (low, high) in enumerate(pairwise(self.cutoffs)):
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if len(rows):
                scores = F.log_softmax(self.tail[number](input[rows]), dim=1)
                own = scores.gather(1, (target[rows] - low).unsqueeze(1)).squeeze(1)
                result = result.index_add(0, rows, own)
                place = place.index_fill(0, rows, self.shortlist_size + number)
        head = F.log_softmax(self.head(input), dim=1)
        output = result + head.gather(1, place.unsqueeze(1)).squeeze(1)
        return _ASMoutput(output if dim else output.squeeze(0), (-output).mean())

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log-probabilities of all classes."""
        head = F.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for number, tail in enumerate(self.tail):
            cluster = head[:, self.shortlist_size + number].unsqueeze(1)
            parts.append(F.log_softmax(tail(input), dim=1) + cluster)
        return cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class."""
        best: Tensor = self.log_prob(input).argmax(dim=1)
        return best
