# over: solution.py
# verdict: WA value
# group: small
# en: Clipping is an upper bound. A gradient that is short enough keeps its length.
# zh: 裁剪是上限。本来就够短的梯度，长度不变。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    coef = (max_norm / (total + 1e-6)).clamp(max=1.0)
+    coef = max_norm / (total + 1e-6)
