# over: solution.py
# verdict: RTE
# group: meta
# en: Without a fake nobody knows the shape before there is memory: no meta tensors, no compiling.
# zh: 没有 fake，就无法在没有内存时知道形状：meta 张量和编译都不可用。
@@
-@grid_sample.register_fake
-def _(input: Tensor, grid: Tensor, padding_mode: int, align_corners: bool) -> Tensor:
-    N, C, _, _, Ho, Wo = sizes_of(input, grid, padding_mode)
-    return input.new_empty(N, C, Ho, Wo)
-
-
