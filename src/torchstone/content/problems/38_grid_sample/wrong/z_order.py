# over: solution.py
# verdict: WA value
# group: small
# en: Of a volume the grid names x, y, z, from the last dimension to the first.
# zh: 体数据的 grid 依次是 x、y、z，对应从最后一维到最前一维。
@@
     places = grid.flatten(1, -2).unbind(-1)
+    if len(sizes) == 3:
+        places = places[0], places[2], places[1]
     # The first coordinate runs along the last dimension of the image.
