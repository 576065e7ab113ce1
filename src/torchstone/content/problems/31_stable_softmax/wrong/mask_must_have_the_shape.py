# over: solution.py
# verdict: RTE
# group: small
# en: A mask broadcasts to x; asking for equal shapes refuses one of a single row.
# zh: 掩码可以广播到 x；要求两者形状相同，会把只有一行的掩码也拒之门外。
@@ def check
-    sizes = zip(reversed(mask.shape), reversed(x.shape), strict=False)
-    if mask.dim() > x.dim() or any(of_mask not in (1, of_x) for of_mask, of_x in sizes):
+    if mask.shape != x.shape:
