# over: solution.py
# verdict: WA value
# group: box
# en: Rows belong to the height: top and bottom come from cy and the height, left and right from
#  cx and the width.
# zh: 行对应高度：top、bottom 由 cy 和高度得到，left、right 由 cx 和宽度得到。
@@
-"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""
-
@@
-    top, bottom = max(cy - half_height, 0), min(cy + half_height, height)
-    left, right = max(cx - half_width, 0), min(cx + half_width, width)
+    top, bottom = max(cx - half_width, 0), min(cx + half_width, width)
+    left, right = max(cy - half_height, 0), min(cy + half_height, height)
