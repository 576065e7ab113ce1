# over: solution.py
# verdict: RTE
# group: meta
# en: Without a fake, shapes cannot be known without memory: no meta tensors, no compiling.
# zh: 没有 fake，就无法在没有内存时知道形状：meta 张量和编译都不可用。
@@
-@add.register_fake
-def _(a: Tensor, b: Tensor, alpha: float = 1.0) -> Tensor:
-    check(a, b)
-    return torch.empty_like(a, memory_format=torch.contiguous_format)
-
-
