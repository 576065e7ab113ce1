# over: solution.py
# verdict: WA grad
# group: sample
# en: The points move with origins and directions, and with them what the field returns.
# zh: 采样点随 origins 与 dirs 移动，field 的值也随之变化。
@@
-        points = origins[:, None] + t[..., None] * unit[:, None]
+        points = (origins[:, None] + t[..., None] * unit[:, None]).detach()
