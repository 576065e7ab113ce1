# over: solution.py
# verdict: WA value
# group: sample
# en: Clamping the entries turns the gradient; clipping by norm only shortens it.
# zh: 逐元素截断会改变梯度的方向；按范数裁剪只缩短长度。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    coef = (max_norm / (total + 1e-6)).clamp(max=1.0)
@@
-        grad.mul_(coef)
+        grad.clamp_(-max_norm, max_norm)
