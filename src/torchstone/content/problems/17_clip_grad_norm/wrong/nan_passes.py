# over: solution.py
# verdict: WA value
# group: nonfinite
# en: NaN > max_norm is False: with an `if` the broken gradient goes through unscaled.
# zh: NaN > max_norm 为假：用 `if` 判断，坏梯度就原样放行了。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    coef = (max_norm / (total + 1e-6)).clamp(max=1.0)
-    for grad in grads:
-        grad.mul_(coef)
+    if total > max_norm - 1e-6:
+        for grad in grads:
+            grad.mul_(max_norm / (total + 1e-6))
