# over: solution.py
# verdict: RTE
# group: edge
# en: max_norm = 0 is allowed: it zeroes the gradients.
# zh: max_norm = 0 是允许的：梯度变成 0。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
-    if max_norm < 0 or norm_type <= 0:
+    if max_norm <= 0 or norm_type <= 0:
