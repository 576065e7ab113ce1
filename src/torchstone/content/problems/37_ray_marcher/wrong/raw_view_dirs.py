# over: solution.py
# verdict: WA value
# group: sample
# en: The field gets unit directions.
# zh: 传给 field 的方向必须是单位向量。
@@
-        sigma, rgb = field(points, unit[:, None].expand_as(points))
+        sigma, rgb = field(points, dirs[:, None].expand_as(points))
