# over: solution.py
# verdict: WA property
# group: layout
# en: Values in the strides of x are right, but the result is to be contiguous.
# zh: 按 x 的 stride 存放，值虽然不错，但结果应当是连续的。
@@
     check(x)
+    result = torch.empty_like(x)
     x = x.contiguous()
@@
-    return y
+    return result.copy_(y)


 @relu.register_fake
 def _(x: Tensor) -> Tensor:
     check(x)
-    return torch.empty_like(x, memory_format=torch.contiguous_format)
+    return torch.empty_like(x)
