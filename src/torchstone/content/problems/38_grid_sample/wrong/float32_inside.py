# over: solution.py
# verdict: WA value
# group: sample
# en: float64 arguments are computed in float32.
# zh: float64 的参数用 float32 计算。
@@
-    places = grid.flatten(1, -2).unbind(-1)
+    places = grid.float().flatten(1, -2).unbind(-1)
