# over: solution.py
# verdict: WA value
# group: nonfinite
# en: The value is left out but its weight stays in the denominator: the mean is too small.
# zh: 值被排除了，权重却还留在分母里：均值偏小。
@@
-        weight = sum(n for n, _ in finite)
+        weight = sum(n for n, _ in window) if finite else 0
