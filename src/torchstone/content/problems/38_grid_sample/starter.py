from torch import Tensor


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    """Sample an image between its pixels, at the positions that grid names.

    Args:
        input: An image (N, C, H, W), or a volume (N, C, D, H, W).
        grid: Positions (N, Ho, Wo, 2) as (x, y), or (N, Do, Ho, Wo, 3) as (x, y, z).
        mode: "bilinear", "nearest", or for images "bicubic".
        padding_mode: What lies outside: "zeros", "border" or "reflection".
        align_corners: Whether -1 and 1 are the centres of the outermost pixels; otherwise they are
            the outer edges.

    Returns:
        (N, C, Ho, Wo), or (N, C, Do, Ho, Wo).

    Raises:
        ValueError: the mode is unknown, the arguments do not fit each other, or there is no pixel.
    """
    raise NotImplementedError
