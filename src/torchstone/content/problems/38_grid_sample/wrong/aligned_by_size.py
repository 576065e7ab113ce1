# over: solution.py
# verdict: WA value
# group: sample
# en: Between the centres of the first and the last pixel lie size - 1 steps, not size.
# zh: 首末像素的中心之间相隔 size − 1 步，而不是 size 步。
@@
-    x = (g + 1) / 2 * (size - 1) if align_corners else ((g + 1) * size - 1) / 2
+    x = (g + 1) / 2 * size if align_corners else ((g + 1) * size - 1) / 2
