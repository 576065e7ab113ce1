# over: solution.py
# verdict: WA value
# group: layout
# en: reshape and contiguous copy what is not contiguous; writing to the copy changes nothing.
# zh: 对不连续的张量，reshape 和 contiguous 会复制；写副本等于没写。
@@
-    """Scale the gradients of parameters in place, so that their norm is at most max_norm."""
@@
-        grad.mul_(coef)
+        grad.reshape(-1).mul_(coef)
