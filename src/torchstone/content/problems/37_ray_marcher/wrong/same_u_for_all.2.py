# over: solution.py
# verdict: WA value
# group: sample
# en: Each ray is stratified by its own numbers.
# zh: 每条光线有各自的抖动。
@@
-    place = torch.searchsorted(cdf, u.contiguous(), right=True) - 1
+    u = u[:1].expand_as(u)
+    place = torch.searchsorted(cdf, u.contiguous(), right=True) - 1
