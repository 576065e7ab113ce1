# over: solution.py
# verdict: WA value
# group: sample
# en: Points lie on the ray at arc length t: origin + t times the unit direction.
# zh: 采样点在光线上弧长为 t 处：origin 加 t 乘单位方向。
@@
-        points = origins[:, None] + t[..., None] * unit[:, None]
+        points = origins[:, None] + t[..., None] * dirs[:, None]
