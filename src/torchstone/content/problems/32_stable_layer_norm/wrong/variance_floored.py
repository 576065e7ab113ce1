# over: solution.py
# verdict: WA value | WA grad
# group: scale
# en: A variance of 1e-400 is no reason to add something: bring the row to size 1 first.
# zh: 方差小到 1e-400 不是另加一个数的理由：先把这一行缩放到 1 左右。
@@
-    size = deviation.detach().abs().amax(-1, keepdim=True)
-    size = size.clamp(min=root)
-    size = size.masked_fill(size == 0, 1.0)
-    scaled = deviation / size
-    variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
+    reach = torch.linalg.vector_norm(deviation.detach(), math.inf, dim=-1, keepdim=True)
+    size = torch.where(reach > 1e15, reach, 1.0)
+    scaled = deviation / size
+    variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
+    variance = variance.clamp(min=torch.finfo(wide).tiny)
