# over: solution.py
# verdict: WA property | RTE
# group: edge
# en: An image and a grid of different batch sizes must raise a ValueError.
# zh: 图像与 grid 的批大小不同时要抛出 ValueError。
@@
-    if grid.shape[-1] != rank - 2 or grid.shape[0] != input.shape[0]:
+    if grid.shape[-1] != rank - 2:
