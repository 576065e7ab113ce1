# over: solution.py
# verdict: WA value
# group: sample
# en: Pixel 0 is inside: the mask is position >= 0.
# zh: 第 0 个像素在界内：掩码应是 position >= 0。
@@
-    inside = (position >= 0) & (position <= size - 1)
+    inside = (position > 0) & (position <= size - 1)
