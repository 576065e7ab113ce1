# over: solution.py
# verdict: RTE
# group: meta
# en: Without a fake nobody knows the shape before there is memory: no meta tensors, no compiling.
# zh: 没有 fake，就无法在没有内存时知道形状：meta 张量和编译都不可用。
@@
-@relu.register_fake
-def _(x: Tensor) -> Tensor:
-    check(x)
-    return torch.empty_like(x, memory_format=torch.contiguous_format)
-
-
