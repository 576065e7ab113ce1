# over: solution.py
# verdict: WA value
# group: small
# en: The power was used as a scale of the line; it is the exponent that bends it.
# zh: 把 power 当成了直线的倍率；它是让曲线弯曲的指数。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        return self.end_lr + (base - self.end_lr) * share**self.power
+        return self.end_lr + (base - self.end_lr) * share * self.power
