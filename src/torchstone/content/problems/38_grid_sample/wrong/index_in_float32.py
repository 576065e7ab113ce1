# over: solution.py
# verdict: WA value
# group: large
# en: float32 counts to 2**24: the number of a pixel in a large image needs int64.
# zh: float32 只能数到 2**24：大图像里像素的序号要用 int64。
@@
-        index = index[:, None].expand(-1, input.shape[1], -1)
+        index = index[:, None].long().expand(-1, input.shape[1], -1)
@@
-    return position.clamp(0, size - 1).long(), torch.where(inside, weight, 0.0)
+    return position.clamp(0, size - 1), torch.where(inside, weight, 0.0)
