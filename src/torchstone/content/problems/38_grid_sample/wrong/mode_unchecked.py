# over: solution.py
# verdict: WA property
# group: edge
# en: An unknown mode must raise; here everything else counts as bicubic.
# zh: 未知的 mode 要报错；这里把其他一切都当作 bicubic。
@@
-    if mode not in ("bilinear", "nearest", "bicubic"):
+    if not mode:
