# over: solution.py
# verdict: WA value
# group: sample
# en: A row further is W pixels further, not H.
# zh: 下一行相隔 W 个像素，而不是 H 个。
@@
-            index, weight, stride = index + stride * position, weight * factor, stride * size
+            index, weight, stride = index + stride * position, weight * factor, stride * sizes[0]
