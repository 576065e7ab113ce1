# over: solution.py
# verdict: WA property
# group: errors
# en: That sizes divide does not make b the last dimensions of a.
# zh: 元素个数整除，不代表 b 就是 a 的最后几维。
@@
-    if b.ndim > a.ndim or b.shape != a.shape[a.ndim - b.ndim :]:
+    if b.numel() and a.numel() % b.numel():
