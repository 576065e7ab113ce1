# over: solution.py
# verdict: WA property
# group: errors
# en: Three coordinates for a place are read as one and a half.
# zh: 每个位置给了三个坐标，核函数会当成一个半位置来读。
@@
-    fits = input.ndim == grid.ndim == 4 and grid.shape[0] == input.shape[0] and grid.shape[3] == 2
+    fits = input.ndim == grid.ndim == 4 and grid.shape[0] == input.shape[0]
