# over: solution.py
# verdict: WA value
# group: small
# en: The rate falls to 0; it must approach end_lr.
# zh: 学习率降到了 0；它应趋于 end_lr。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        return self.end_lr + (base - self.end_lr) * share**self.power
+        return base * share**self.power
