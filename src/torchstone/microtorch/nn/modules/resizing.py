"""Image resizing modules: Upsample, PixelShuffle, ChannelShuffle, Unfold, Fold."""

from __future__ import annotations

from typing import Any

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.functional_module import REQUIRED, Functional
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.tensor import Tensor


class Upsample(Module):
    """Upsampling by repetition or interpolation."""

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size, self.mode, self.align_corners = size, mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None

    def forward(self, input: Tensor) -> Tensor:
        """Resize the input."""
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """Return the size or the scale factor, and the mode."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Nearest-neighbour upsampling of images."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Bilinear upsampling of images with aligned corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Functional, call="pixel_shuffle", upscale_factor=REQUIRED):
    """Rearrangement of channels into pixels, enlarging the image."""


class PixelUnshuffle(Functional, call="pixel_unshuffle", downscale_factor=REQUIRED):
    """Rearrangement of pixels into channels, shrinking the image."""


class ChannelShuffle(Functional, call="channel_shuffle", groups=REQUIRED):
    """Channel shuffle: interleaves the channels of groups."""


class Unfold(Functional, call="unfold", kernel_size=REQUIRED, dilation=1, padding=0, stride=1):
    """Extraction of image patches, which may overlap (im2col)."""


class Fold(
    Functional, call="fold", output_size=REQUIRED, kernel_size=REQUIRED, dilation=1, padding=0,
    stride=1,
):  # fmt: skip
    """Summation of patches into an image (col2im)."""
