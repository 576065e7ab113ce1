# over: solution.py
# verdict: WA value
# group: sample
# en: What is returned and logged is the norm before clipping; afterwards it is nearly always
#   max_norm.
# zh: 返回和记录的是裁剪之前的范数；裁剪之后几乎总是 max_norm。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
         grad.mul_(coef)
+    total = _total_norm(grads, float(norm_type))
