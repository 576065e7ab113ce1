# over: solution.py
# verdict: WA value
# group: scale
# en: Squares double the exponent: 1e25 squared is no float32. Sum in float64.
# zh: 平方使指数翻倍：1e25 的平方超出 float32。用 float64 求和。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    sizes = [grad.abs().double() for grad in grads if grad.numel()]
+    dtype = torch.float64 if any(g.dtype == torch.float64 for g in grads) else torch.float32
+    sizes = [grad.abs().to(dtype) for grad in grads if grad.numel()]
