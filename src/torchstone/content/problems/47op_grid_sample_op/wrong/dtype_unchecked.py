# over: solution.py
# verdict: WA property | RTE
# group: errors
# en: The bytes of a double are not two floats.
# zh: 一个 double 的字节并不是两个 float。
@@
-    if input.dtype != torch.float32 or grid.dtype != torch.float32:
+    if not (input.is_floating_point() and grid.is_floating_point()):
