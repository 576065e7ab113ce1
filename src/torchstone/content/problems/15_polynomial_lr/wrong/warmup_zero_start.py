# over: solution.py
# verdict: WA value
# group: small
# en: The warm-up begins with rate 0 and wastes the first batch; it begins with 1/(W+1) of the base.
# zh: 预热从 0 开始，白费了第一个批次；应从基准的 1/(W+1) 开始。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-            return base * (t + 1) / (w + 1)
+            return base * t / w
