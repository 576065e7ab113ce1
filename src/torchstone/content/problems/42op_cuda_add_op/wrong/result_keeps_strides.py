# over: solution.py
# verdict: WA property
# group: layout
# en: empty_like keeps the strides of a dense tensor; the result is to be contiguous.
# zh: empty_like 会保留稠密张量的 stride；而结果应当是连续的。
@@
     check(a, b)
+    result = torch.empty_like(a)
     a, b = a.contiguous(), b.contiguous()
@@
-    return out
+    return result.copy_(out)


 @add.register_fake
 def _(a: Tensor, b: Tensor, alpha: float = 1.0) -> Tensor:
     check(a, b)
-    return torch.empty_like(a, memory_format=torch.contiguous_format)
+    return torch.empty_like(a)
