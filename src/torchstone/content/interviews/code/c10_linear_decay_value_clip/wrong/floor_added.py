# over: solution.py
# verdict: WA value
# group: small
# en: The floor bounds the factor from below; it does not lift the whole line.
# zh: 下限只从下面限制系数，并不抬高整条直线。
@@
-    return max(floor, (steps - step) / (steps - warmup))
+    return floor + (1 - floor) * (steps - step) / (steps - warmup)
