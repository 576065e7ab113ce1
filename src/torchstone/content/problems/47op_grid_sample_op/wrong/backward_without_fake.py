# over: solution.py
# verdict: WA property | RTE
# group: opcheck
# en: The compiler traces the backward as well: its operator needs a fake of its own.
# zh: 编译器也要追踪反向：反向的算子需要自己的 fake。
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
