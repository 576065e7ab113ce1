# over: solution.py
# verdict: WA value
# group: small
# en: eps belongs under the root; it matters where the variance is about eps.
# zh: eps 应在根号里面；方差与 eps 相近时差别明显。
@@
-    size = size.clamp(min=root)
     size = size.masked_fill(size == 0, 1.0)
@@
-    variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
-    # Only a constant row with eps = 0 has no variance: its deviations are 0, whatever the factor.
-    y = scaled * variance.masked_fill(variance == 0, 1.0).rsqrt()
+    variance = scaled.square().mean(-1, keepdim=True)
+    # The root of 0 has no derivative.
+    deviation = variance.masked_fill(variance == 0, 1.0).sqrt()
+    y = scaled / (deviation + eps / size)
