# over: solution.py
# verdict: WA property
# group: errors
# en: A slice beyond the border is silently shorter; the area then belongs to another box.
# zh: 越界的切片会悄悄变短，面积却按另一个框计算；应检查框。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    if not (0 <= top <= bottom <= height and 0 <= left <= right <= width):
-        raise ValueError(f"the box {box} does not fit into an image of {height} x {width}.")
+    top, bottom, left, right = max(top, 0), min(bottom, height), max(left, 0), min(right, width)
+    bottom, right = max(top, bottom), max(left, right)
