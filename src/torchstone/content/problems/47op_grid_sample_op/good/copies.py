# style: copies instead of contiguous
import kernel
import torch
from torch import Tensor


def sizes_of(input: Tensor, grid: Tensor, padding_mode: int) -> tuple[int, ...]:
    """Refuse what the kernel would misread, the same for a fake; give N, C, H, W, Ho, Wo."""
    if input.dtype != torch.float32 or grid.dtype != torch.float32:
        raise TypeError(f"grid_sample: float32 is wanted, got {input.dtype} and {grid.dtype}")
    if input.device != grid.device:
        raise RuntimeError(f"grid_sample: got two devices, {input.device} and {grid.device}")
    fits = input.ndim == grid.ndim == 4 and grid.shape[0] == input.shape[0] and grid.shape[3] == 2
    if not fits or input.shape[2] < 1 or input.shape[3] < 1:
        raise ValueError(
            "grid_sample: (N, C, H, W) and (N, Ho, Wo, 2) are wanted, with H and W of at least 1, "
            f"got {tuple(input.shape)} and {tuple(grid.shape)}"
        )
    if not 0 <= padding_mode <= 2:
        raise ValueError(f"grid_sample: padding_mode is 0, 1 or 2, got {padding_mode}")
    return *input.shape, *grid.shape[1:3]


def run(entry, *args) -> None:
    status = entry(*args)
    if status != 0:
        raise RuntimeError(f"grid_sample: the kernel returns {status}")


@torch.library.custom_op("ts47::grid_sample", mutates_args=())
def grid_sample(input: Tensor, grid: Tensor, padding_mode: int, align_corners: bool) -> Tensor:
    sizes = sizes_of(input, grid, padding_mode)
    N, C, _, _, Ho, Wo = sizes
    out = input.new_empty(N, C, Ho, Wo)
    # Copies whose memory lies in order, whatever the strides of what came.
    input, grid = (each.clone(memory_format=torch.contiguous_format) for each in (input, grid))
    run(kernel.grid_sample_forward, input, grid, out, *sizes, padding_mode, align_corners)
    return out


@grid_sample.register_fake
def _(input: Tensor, grid: Tensor, padding_mode: int, align_corners: bool) -> Tensor:
    N, C, _, _, Ho, Wo = sizes_of(input, grid, padding_mode)
    return input.new_empty(N, C, Ho, Wo)


def empty_gradients(input: Tensor, grid: Tensor, wanted: list[bool]) -> list[Tensor]:
    """Make room for the gradients that are wanted; the others have no elements."""
    pairs = zip((input, grid), wanted, strict=True)
    return [each.new_empty(each.shape if is_wanted else 0) for each, is_wanted in pairs]


@torch.library.custom_op("ts47::grid_sample_backward", mutates_args=())
def grid_sample_backward(
    grad: Tensor,
    input: Tensor,
    grid: Tensor,
    padding_mode: int,
    align_corners: bool,
    wanted: list[bool],
) -> list[Tensor]:
    sizes = sizes_of(input, grid, padding_mode)
    results = empty_gradients(input, grid, wanted)
    if not any(wanted):
        return results
    # A null pointer tells the kernel that nobody wants this one.
    outputs = (each if is_wanted else None for each, is_wanted in zip(results, wanted, strict=True))
    inputs = [torch.empty(each.shape).copy_(each) for each in (grad, input, grid)]
    run(kernel.grid_sample_backward, *inputs, *outputs, *sizes, padding_mode, align_corners)
    return results


@grid_sample_backward.register_fake
def _(
    grad: Tensor,
    input: Tensor,
    grid: Tensor,
    padding_mode: int,
    align_corners: bool,
    wanted: list[bool],
) -> list[Tensor]:
    return empty_gradients(input, grid, wanted)


def remember(ctx, inputs, output) -> None:
    input, grid, *ctx.mode = inputs
    ctx.save_for_backward(input, grid)


def backward(ctx, grad: Tensor):
    wanted = list(ctx.needs_input_grad[:2])
    grads = grid_sample_backward(grad, *ctx.saved_tensors, *ctx.mode, wanted)
    of_input, of_grid = (each if w else None for each, w in zip(grads, wanted, strict=True))
    return of_input, of_grid, None, None


# The backward operator has no formula of its own: a second derivative is an error.
grid_sample.register_autograd(backward, setup_context=remember)
