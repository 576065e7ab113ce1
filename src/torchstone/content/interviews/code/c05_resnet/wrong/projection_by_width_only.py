# over: solution.py
# verdict: WA property | RTE
# group: edge
# en: A stride changes the shape as well; the identity does not fit behind it.
# zh: 步长同样会改变形状，恒等捷径就对不上了。
@@
-        if stride != 1 or in_channels != channels:
+        if in_channels != channels:
