# over: solution.py
# verdict: WA value
# group: edge
# en: On a plateau u belongs to the next bin with mass: right=True.
# zh: 平台上的 u 属于下一个有质量的区间：用 right=True。
@@
-    place = torch.searchsorted(cdf, u.contiguous(), right=True) - 1
+    place = (torch.searchsorted(cdf, u.contiguous()) - 1).clamp(min=0)
