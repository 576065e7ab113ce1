# over: solution.py
# verdict: WA value
# group: edge
# en: align_corners is False by default.
# zh: align_corners 默认是 False。
@@
-    align_corners: bool = False,
+    align_corners: bool = True,
