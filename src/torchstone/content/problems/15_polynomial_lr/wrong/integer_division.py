# over: solution.py
# verdict: WA value
# group: sample
# en: Integer division of steps is 0 until the end, so the rate stays flat and then drops.
# zh: 步数做整除，到终点之前一直是 0，曲线变成阶跃。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        share = (n - min(t, n)) / (n - w)
+        share = 1 - (min(t, n) - w) // (n - w)
