# over: solution.py
# verdict: WA value | WA property
# group: edge
# en: Past the end the share is negative: so is the rate, or complex for a fractional power.
# zh: 过了最后一步，剩余比例变为负数：学习率变负，分数次幂时甚至成为复数。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        share = (n - min(t, n)) / (n - w)
+        share = (n - t) / (n - w)
