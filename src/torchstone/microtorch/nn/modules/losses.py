"""Loss modules: MSELoss, CrossEntropyLoss, BCEWithLogitsLoss, KLDivLoss, CTCLoss and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.distance import PairwiseDistance
from torchstone.microtorch.nn.modules.functional_module import Functional
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.ops.losses import reduction_of
from torchstone.microtorch.tensor import Tensor

# The deprecated reduction arguments precede ``reduction``.
_MEAN = {"size_average": None, "reduce": None, "reduction": "mean"}


class _Loss(Functional, call=""):
    """Base class of the losses.

    Attributes:
        reduction: How the losses of all elements are combined: "mean", "sum" or "none".
    """

    reduction: str
    _tensors = ("weight", "pos_weight")
    # The deprecated reduction arguments.
    _own = ("size_average", "reduce")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(shown=(), **options)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        size_average, reduce = (self.__dict__.pop(name, None) for name in self._own)
        if size_average is not None or reduce is not None:
            self.reduction = reduction_of(size_average, reduce, self.reduction)


class L1Loss(_Loss, call="l1_loss", **_MEAN):
    """Absolute error."""


class MSELoss(_Loss, call="mse_loss", **_MEAN):
    """Squared error."""


class SmoothL1Loss(_Loss, call="smooth_l1_loss", **_MEAN, beta=1.0):
    """Absolute error, quadratic below ``beta``."""


class HuberLoss(_Loss, call="huber_loss", reduction="mean", delta=1.0):
    """Squared error, linear above ``delta``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not isinstance(self.delta, float | int):
            raise TypeError(f"delta must be a float or int, got: {type(self.delta)}")


class NLLLoss(
    _Loss, call="nll_loss", weight=None, size_average=None, ignore_index=-100, reduce=None,
    reduction="mean",
):  # fmt: skip
    """Negative log-likelihood of the target class, from log-probabilities."""


class CrossEntropyLoss(
    _Loss, call="cross_entropy", weight=None, size_average=None, ignore_index=-100, reduce=None,
    reduction="mean", label_smoothing=0.0,
):  # fmt: skip
    """Cross entropy of logits and target classes or class probabilities."""


class KLDivLoss(_Loss, call="kl_div", **_MEAN, log_target=False):
    """Kullback-Leibler divergence, from log-probabilities."""


class BCELoss(_Loss, call="binary_cross_entropy", weight=None, **_MEAN):
    """Binary cross entropy of probabilities."""


class BCEWithLogitsLoss(
    _Loss, call="binary_cross_entropy_with_logits", weight=None, **_MEAN, pos_weight=None
):
    """Binary cross entropy of logits."""


class PoissonNLLLoss(
    _Loss, call="poisson_nll_loss", log_input=True, full=False, size_average=None, eps=1e-8,
    reduce=None, reduction="mean",
):  # fmt: skip
    """Poisson negative log-likelihood."""


class GaussianNLLLoss(_Loss, call="gaussian_nll_loss", full=False, eps=1e-6, reduction="mean"):
    """Gaussian negative log-likelihood."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(full, eps, reduction)


class MarginRankingLoss(_Loss, call="margin_ranking_loss", margin=0.0, **_MEAN):
    """Hinge loss that ranks one input above the other by a margin."""


class HingeEmbeddingLoss(_Loss, call="hinge_embedding_loss", margin=1.0, **_MEAN):
    """Hinge loss of distances: small where the target is 1, above a margin where it is -1."""


class CosineEmbeddingLoss(_Loss, call="cosine_embedding_loss", margin=0.0, **_MEAN):
    """Loss of the cosine similarity: similar where the target is 1, dissimilar where it is -1."""


class SoftMarginLoss(_Loss, call="soft_margin_loss", **_MEAN):
    """Logistic loss of scores for targets 1 and -1."""


class MultiMarginLoss(_Loss, call="multi_margin_loss", p=1, margin=1.0, weight=None, **_MEAN):
    """Multi-class hinge loss: the right class above all others by a margin."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if self.weight is not None and self.weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got "
                f"{self.weight.dim()}D instead"
            )


class MultiLabelMarginLoss(_Loss, call="multilabel_margin_loss", **_MEAN):
    """Multi-label hinge loss: the right classes above all others by a margin."""


class MultiLabelSoftMarginLoss(_Loss, call="multilabel_soft_margin_loss", weight=None, **_MEAN):
    """Multi-label logistic loss, averaged over the classes."""


class TripletMarginLoss(
    _Loss, call="triplet_margin_loss", margin=1.0, p=2.0, eps=1e-6, swap=False, **_MEAN
):
    """Triplet loss: the anchor is nearer to the positive than to the negative by a margin."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _check_margin(self)


class TripletMarginWithDistanceLoss(Module):
    """Triplet loss with a custom distance function."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.distance_function = distance_function or PairwiseDistance()
        self.margin, self.swap, self.reduction = margin, swap, reduction
        _check_margin(self)

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compute the loss."""
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


def _check_margin(loss: Module) -> None:
    if loss.margin <= 0:
        raise ValueError(
            f"{type(loss).__name__}: expected margin to be greater than 0, got {loss.margin} "
            "instead"
        )


class CTCLoss(_Loss, call="ctc_loss", blank=0, reduction="mean", zero_infinity=False):
    """Negative log-likelihood of a target sequence over all its alignments."""
