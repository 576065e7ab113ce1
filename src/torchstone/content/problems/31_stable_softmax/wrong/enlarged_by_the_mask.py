# over: solution.py
# verdict: WA property
# group: edge
# en: Ordinary broadcasting lets the mask enlarge x; here the mask must fit the shape of x.
# zh: 普通广播会让掩码把 x 撑大；本题中掩码必须能广播到 x 的形状。
@@ def check
-    if mask.dim() > x.dim() or any(of_mask not in (1, of_x) for of_mask, of_x in sizes):
+    if any(of_mask != 1 and of_x not in (1, of_mask) for of_mask, of_x in sizes):
@@ def hide
-    return values if mask is None else values.masked_fill(~mask, filler)
+    return values if mask is None else torch.where(mask, values, filler)
