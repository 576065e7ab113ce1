# over: solution.py
# verdict: WA value
# group: sample
# en: `grad = grad * coef` makes a new tensor; the optimiser reads p.grad, which stays as it was.
# zh: `grad = grad * coef` 得到的是新张量；优化器读的是 `p.grad`，它没有变。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-        grad.mul_(coef)
+        grad = grad * coef
