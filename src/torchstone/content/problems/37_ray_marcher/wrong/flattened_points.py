# over: solution.py
# verdict: WA shape
# group: sample
# en: The field gets points of the shape (R, S, 3).
# zh: field 接收的点形状是 (R, S, 3)。
@@
-        sigma, rgb = field(points, unit[:, None].expand_as(points))
+        sigma, rgb = field(points.flatten(0, 1), unit.repeat_interleave(t.shape[1], 0))
+        sigma, rgb = sigma.view(t.shape), rgb.view(*t.shape, rgb.shape[-1])
