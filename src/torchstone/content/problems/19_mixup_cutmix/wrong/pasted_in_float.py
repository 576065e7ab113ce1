# over: solution.py
# verdict: WA value
# group: dtype
# en: A mask of 0 and 1 that is multiplied makes floats of integer images: large ones lose digits.
# zh: 用 0/1 掩码相乘会把整数图像变成浮点数：大的整数会丢失末位。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    mixed = x.clone()
-    mixed[..., top:bottom, left:right] = x[perm, ..., top:bottom, left:right]
+    inside = torch.zeros(height, width)
+    inside[top:bottom, left:right] = 1
+    mixed = ((1 - inside) * x + inside * x[perm]).to(x.dtype)
