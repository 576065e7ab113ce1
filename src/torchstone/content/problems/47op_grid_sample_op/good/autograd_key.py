# style: an autograd.Function under the Autograd key, bool[2] like ATen's output_mask
import kernel
import torch
from torch.autograd.function import once_differentiable

library = torch.library.Library("ts47", "DEF")
TAIL = "Tensor input, Tensor grid, int padding_mode, bool align_corners"
library.define(f"grid_sample({TAIL}) -> Tensor")
library.define(f"grid_sample_backward(Tensor grad, {TAIL}, bool[2] wanted) -> (Tensor, Tensor)")


def sizes_of(input, grid, padding_mode):
    torch._check(input.dtype == grid.dtype == torch.float32, lambda: "float32 is wanted")
    torch._check(input.device == grid.device, lambda: "one device is wanted")
    torch._check(input.dim() == 4 and grid.dim() == 4, lambda: "four dimensions are wanted")
    torch._check(input.size(0) == grid.size(0), lambda: "the batches differ")
    torch._check(grid.size(3) == 2, lambda: "a place has two coordinates")
    torch._check(input.size(2) > 0 and input.size(3) > 0, lambda: "an image has pixels")
    torch._check(0 <= padding_mode <= 2, lambda: "padding_mode is 0, 1 or 2")
    return (*input.size(), grid.size(1), grid.size(2))


def forward(input, grid, padding_mode, align_corners):
    N, C, H, W, Ho, Wo = sizes_of(input, grid, padding_mode)
    out = input.new_empty((N, C, Ho, Wo))
    if not out.is_meta:
        args = (N, C, H, W, Ho, Wo, padding_mode, align_corners)
        status = kernel.grid_sample_forward(input.contiguous(), grid.contiguous(), out, *args)
        torch._check(status == 0, lambda: f"the kernel returns {status}")
    return out


def backward(grad, input, grid, padding_mode, align_corners, wanted):
    sizes = sizes_of(input, grid, padding_mode)
    # The memory of both is there in any case; the kernel only sees what is wanted.
    results = input.new_zeros(input.shape), grid.new_zeros(grid.shape)
    if not grad.is_meta and any(wanted):
        grad, input, grid = (each.contiguous() for each in (grad, input, grid))
        pairs = zip(results, wanted, strict=True)
        of_input, of_grid = (x if is_wanted else None for x, is_wanted in pairs)
        kernel.grid_sample_backward(
            grad, input, grid, of_input, of_grid, *sizes, padding_mode, align_corners
        )
    return results


class GridSample(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, grid, padding_mode, align_corners):
        ctx.save_for_backward(input, grid)
        ctx.mode = padding_mode, align_corners
        with torch._C._AutoDispatchBelowAutograd():
            return torch.ops.ts47.grid_sample(input, grid, padding_mode, align_corners)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        wanted = ctx.needs_input_grad[:2]
        grads = torch.ops.ts47.grid_sample_backward(grad, *ctx.saved_tensors, *ctx.mode, wanted)
        pairs = zip(grads, wanted, strict=True)
        return *(each if w else None for each, w in pairs), None, None


for key in ("CPU", "Meta"):
    library.impl("grid_sample", forward, key)
    library.impl("grid_sample_backward", backward, key)
library.impl("grid_sample", GridSample.apply, "Autograd")
