# over: solution.py
# verdict: WA shape
# group: sample
# en: The neighbours are sums of the values where values are given.
# zh: 给出 values 时，neighbors 是 values 的加权和。
@@
-    neighbors = weights.flatten(-3, -2) @ values
+    neighbors = weights.flatten(-3, -2) @ points
