# over: solution.py
# verdict: WA property
# group: edge
# en: Broadcasting stretches a size of 1 and hides a wrong shape; compare the shapes first.
# zh: 广播会拉伸大小为 1 的维，掩盖错误的形状；先比较形状。
@@
-        if item is not None and tuple(item.shape) != shape:
+        if item is not None and item.ndim > len(shape):
