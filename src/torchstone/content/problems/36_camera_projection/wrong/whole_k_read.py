# over: solution.py
# verdict: WA grad
# group: sample
# en: Only fx, skew, cx, fy and cy of K are read; its other entries may hold anything.
# zh: K 中只读 fx、skew、cx、fy、cy；其余元素可能是任何数。
@@
-    v = K[..., 1, 1, None] * y + K[..., 1, 2, None]
+    v = K[..., 1, 0, None] * x + K[..., 1, 1, None] * y + K[..., 1, 2, None]
