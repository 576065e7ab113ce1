# over: solution.py
# verdict: WA grad
# group: sample
# en: The direction is an argument of the field: its gradient goes on to dirs.
# zh: 方向也是 field 的自变量，梯度要传到 dirs。
@@
-        sigma, rgb = field(points, unit[:, None].expand_as(points))
+        sigma, rgb = field(points, unit.detach()[:, None].expand_as(points))
