# over: solution.py
# verdict: WA value
# group: edge
# en: The 1e-6 belongs to the formula: it decides for gradients that are as small as it.
# zh: 1e-6 是公式的一部分：梯度小到同一量级时，它举足轻重。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-    coef = (max_norm / (total + 1e-6)).clamp(max=1.0)
+    coef = (max_norm / total.clamp(min=1e-30)).clamp(max=1.0)
