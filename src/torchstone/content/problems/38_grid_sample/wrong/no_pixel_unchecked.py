# over: solution.py
# verdict: WA property | RTE
# group: edge
# en: An image without a pixel must raise a ValueError, also where nothing is sampled.
# zh: 没有像素的图像要抛出 ValueError，没有采样点时也一样。
@@
-    if 0 in input.shape[2:]:
+    if 0 in input.shape[2:] and 0 not in grid.shape:
