# over: solution.py
# verdict: WA property | RTE
# group: opcheck
# en: The compiler traces the backward as well: its operator needs a fake of its own.
# zh: 编译器也要追踪反向：反向的算子需要自己的 fake。
@@
-@relu_backward.register_fake
-def _(grad_y: Tensor, y: Tensor) -> Tensor:
-    check(grad_y, y)
-    return torch.empty_like(y, memory_format=torch.contiguous_format)
-
-
