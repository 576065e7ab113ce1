# over: solution.py
# verdict: WA value
# group: dtype
# en: Powers and sums in float16 keep three digits and end at 65504. Widen each gradient first.
# zh: 在 float16 里求幂求和，只有三位有效数字，上限 65504。先把梯度转成更宽的类型。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    sizes = [grad.abs().double() for grad in grads if grad.numel()]
+    sizes = [grad.abs() for grad in grads if grad.numel()]
@@
-        return torch.stack([size.amax() for size in sizes]).amax()
-    return torch.stack([size.pow(p).sum() for size in sizes]).sum() ** (1 / p)
+        return torch.stack([size.amax().double() for size in sizes]).amax()
+    return torch.stack([size.pow(p).sum().double() for size in sizes]).sum() ** (1 / p)
