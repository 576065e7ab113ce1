# over: solution.py
# verdict: WA value
# group: edge
# en: A constant row with eps = 0 is 0/0; decide it before the division.
# zh: eps=0 时常数行是 0/0；要在相除之前先处理。
@@
-    size = size.masked_fill(size == 0, 1.0)
@@
-    # Only a constant row with eps = 0 has no variance: its deviations are 0, whatever the factor.
-    y = scaled * variance.masked_fill(variance == 0, 1.0).rsqrt()
+    y = scaled * variance.rsqrt()
