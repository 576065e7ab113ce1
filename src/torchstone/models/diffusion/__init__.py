"""Diffusion models: noise schedules, training, sampling and a diffusion Transformer.

The process (``process.py``, ``schedules.py``) and the Transformer are independent. A Gaussian
mixture with a known solution tests the process; the digits test both together.
"""

from torchstone.models.diffusion.average import Average
from torchstone.models.diffusion.drawing import sample_to
from torchstone.models.diffusion.mixture import Mixture, exact_denoiser
from torchstone.models.diffusion.plan import Plan
from torchstone.models.diffusion.process import (
    PREDICTIONS,
    Denoiser,
    Parts,
    add_noise,
    ddim_step,
    denoising_loss,
    drop_labels,
    guided,
    posterior,
    sample,
    sampling_steps,
    split,
    target,
)
from torchstone.models.diffusion.schedules import (
    SCHEDULES,
    Schedule,
    cosine,
    find_schedule,
    linear,
)
from torchstone.models.diffusion.training import train
from torchstone.models.diffusion.transformer import DiffusionTransformer

__all__ = [
    "PREDICTIONS",
    "SCHEDULES",
    "Average",
    "Denoiser",
    "DiffusionTransformer",
    "Mixture",
    "Parts",
    "Plan",
    "Schedule",
    "add_noise",
    "cosine",
    "ddim_step",
    "denoising_loss",
    "drop_labels",
    "exact_denoiser",
    "find_schedule",
    "guided",
    "linear",
    "posterior",
    "sample",
    "sample_to",
    "sampling_steps",
    "split",
    "target",
    "train",
]
