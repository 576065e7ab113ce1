# over: solution.py
# verdict: WA value
# group: sample
# en: The limit is on one vector of all gradients: one norm, one factor for all tensors.
# zh: 限制的是由全部梯度组成的一个向量：一个范数，所有张量共用一个系数。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    coef = (max_norm / (total + 1e-6)).clamp(max=1.0)
@@
-        grad.mul_(coef)
+        own = _total_norm([grad], float(norm_type))
+        grad.mul_((max_norm / (own + 1e-6)).clamp(max=1.0))
