# over: solution.py
# verdict: WA property
# group: edge
# en: A wrong trailing shape must raise ValueError before anything is computed.
# zh: 末尾形状不对时，应在计算之前抛出 ValueError。
@@
-    if points.ndim < 2 or points.shape[-1] != 3:
+    if points.shape[-1] not in (1, 3):
