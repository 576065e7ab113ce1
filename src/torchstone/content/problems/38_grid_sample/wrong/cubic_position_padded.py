# over: solution.py
# verdict: WA value
# group: sample
# en: For bicubic each of the four pixels is padded, not the position between them.
# zh: bicubic 逐个填充四个像素，而不是填充它们之间的位置。
@@
-    if mode != "bicubic":
+    if size > 0:
