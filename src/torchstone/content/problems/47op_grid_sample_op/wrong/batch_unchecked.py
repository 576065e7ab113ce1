# over: solution.py
# verdict: WA property
# group: errors
# en: A grid for more images than there are fits the pointer, and not the images.
# zh: grid 的批量比图像多，指针够用，形状却对不上。
@@
-    fits = input.ndim == grid.ndim == 4 and grid.shape[0] == input.shape[0] and grid.shape[3] == 2
+    fits = input.ndim == grid.ndim == 4 and grid.shape[3] == 2
