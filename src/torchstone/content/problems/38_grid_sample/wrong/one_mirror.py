# over: solution.py
# verdict: WA value
# group: sample
# en: Without align_corners the mirrors stand at the outer edges, at -1/2 and size - 1/2.
# zh: align_corners=False 时镜面在外缘 −1/2 和 size − 1/2 处。
@@
-        low, span = (0.0, size - 1) if align_corners else (-0.5, size)
+        low, span = 0.0, size - 1
