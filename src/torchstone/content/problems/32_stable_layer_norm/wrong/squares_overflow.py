# over: solution.py
# verdict: WA value
# group: scale
# en: The square of 1e30 exceeds float32, that of 1e-28 is zero: bring a row to size 1 before
#   squaring.
# zh: 1e30 的平方超出 float32，1e-28 的平方变成 0：平方之前先把一行缩放到 1
#    左右。
@@
-    size = deviation.detach().abs().amax(-1, keepdim=True)
-    size = size.clamp(min=root)
-    size = size.masked_fill(size == 0, 1.0)
+    size = torch.ones_like(deviation[..., :1]).detach()
