# verdict: WA grad
# group: double
# en: An operator without a formula for its gradient lets the second derivative vanish.
# zh: 算子没有注册自己的梯度公式，二阶导数就悄悄消失。
import kernel
import torch

library = torch.library.Library("ts47", "DEF")
TAIL = "Tensor input, Tensor grid, int padding_mode, bool align_corners"
library.define(f"grid_sample({TAIL}) -> Tensor")
library.define(f"grad_input(Tensor grad, {TAIL}) -> Tensor")
library.define(f"grad_grid(Tensor grad, {TAIL}) -> Tensor")


def measure(input, grid, padding_mode):
    """Give N, C, H, W, Ho, Wo, or say what is wrong."""
    if {input.dtype, grid.dtype} != {torch.float32} or input.device != grid.device:
        raise RuntimeError("grid_sample: two float32 tensors on one device are wanted")
    if padding_mode not in (0, 1, 2):
        raise RuntimeError(f"grid_sample: there is no padding_mode {padding_mode}")
    N, C, H, W = input.shape
    batch, Ho, Wo, two = grid.shape
    if batch != N or two != 2 or H == 0 or W == 0:
        raise RuntimeError(f"grid_sample: {grid.shape} does not fit {input.shape}")
    return N, C, H, W, Ho, Wo


def forward_meta(input, grid, padding_mode, align_corners):
    N, C, _, _, Ho, Wo = measure(input, grid, padding_mode)
    return torch.empty((N, C, Ho, Wo), device=input.device)


def forward_cpu(input, grid, padding_mode, align_corners):
    sizes = measure(input, grid, padding_mode)
    out = forward_meta(input, grid, padding_mode, align_corners)
    input, grid = input.contiguous(), grid.contiguous()
    kernel.grid_sample_forward(input, grid, out, *sizes, padding_mode, align_corners)
    return out


def input_meta(grad, input, grid, padding_mode, align_corners):
    return input.new_empty(input.shape)


def grid_meta(grad, input, grid, padding_mode, align_corners):
    return grid.new_empty(grid.shape)


def input_cpu(grad, input, grid, *mode):
    out = input_meta(grad, input, grid, *mode)
    tensors = grad.contiguous(), input.contiguous(), grid.contiguous()
    kernel.grid_sample_backward(*tensors, out, None, *measure(input, grid, mode[0]), *mode)
    return out


def grid_cpu(grad, input, grid, *mode):
    out = grid_meta(grad, input, grid, *mode)
    tensors = grad.contiguous(), input.contiguous(), grid.contiguous()
    kernel.grid_sample_backward(*tensors, None, out, *measure(input, grid, mode[0]), *mode)
    return out


library.impl("grid_sample", forward_cpu, "CPU")
library.impl("grid_sample", forward_meta, "Meta")
library.impl("grad_input", input_cpu, "CPU")
library.impl("grad_input", input_meta, "Meta")
library.impl("grad_grid", grid_cpu, "CPU")
library.impl("grad_grid", grid_meta, "Meta")


def keep(ctx, inputs, output):
    input, grid, ctx.padding_mode, ctx.align_corners = inputs
    ctx.save_for_backward(input, grid)


def pull(ctx, grad):
    args = (grad, *ctx.saved_tensors, ctx.padding_mode, ctx.align_corners)
    of_input = torch.ops.ts47.grad_input(*args) if ctx.needs_input_grad[0] else None
    of_grid = torch.ops.ts47.grad_grid(*args) if ctx.needs_input_grad[1] else None
    return of_input, of_grid, None, None


torch.library.register_autograd("ts47::grid_sample", pull, setup_context=keep, lib=library)
