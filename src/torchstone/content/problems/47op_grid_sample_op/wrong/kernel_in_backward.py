# over: solution.py
# verdict: WA grad
# group: double
# en: A kernel that the backward calls by itself is in no graph: second derivatives vanish.
# zh: 反向里直接调用的核函数不在计算图中：二阶导数会悄悄消失。
@@
-@torch.library.custom_op("ts47::grid_sample_backward", mutates_args=())
@@
-@grid_sample_backward.register_fake
-def _(
-    grad: Tensor,
-    input: Tensor,
-    grid: Tensor,
-    padding_mode: int,
-    align_corners: bool,
-    wanted: list[bool],
-) -> list[Tensor]:
-    return empty_gradients(input, grid, wanted)
-
-
@@
-# The backward operator has no formula of its own: a second derivative is an error.
