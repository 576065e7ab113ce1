# over: solution.py
# verdict: WA value
# group: sample
# en: One formula for both: -1 is the centre of the first pixel, or without align_corners its outer edge.
# zh: 两种情形用了同一个公式：−1 是首像素的中心；align_corners=False 时则是它的外缘。
@@
-    x = (g + 1) / 2 * (size - 1) if align_corners else ((g + 1) * size - 1) / 2
+    x = (g + 1) / 2 * (size - 1)
