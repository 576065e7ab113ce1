# over: solution.py
# verdict: WA value
# group: sample
# en: The end is exclusive: rows top to bottom - 1, so that the height is bottom - top.
# zh: 终点不含在内：行从 top 到 bottom − 1，高度才是 bottom − top。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    top, bottom = max(cy - half_height, 0), min(cy + half_height, height)
-    left, right = max(cx - half_width, 0), min(cx + half_width, width)
+    top, bottom = max(cy - half_height, 0), min(cy + half_height + 1, height)
+    left, right = max(cx - half_width, 0), min(cx + half_width + 1, width)
