# over: solution.py
# verdict: WA value
# group: small
# en: The warm-up was added to the horizon; total_iters includes it.
# zh: 把预热加到了总步数上；total_iters 已包含预热。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        share = (n - min(t, n)) / (n - w)
+        share = (n + w - min(t, n + w)) / n
