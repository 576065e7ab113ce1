# over: solution.py
# verdict: WA grad | RTE
# group: grad
# en: Casts detached values. The cast belongs to the graph, or the leaves get no gradient.
# zh: 转换前先脱离了计算图。类型转换也属于计算图，否则叶子得不到梯度。
@@
-        return x.to(dtype)
+        return x.detach().to(dtype)
@@
-        copy = x.to(dtype)
+        copy = x.detach().to(dtype)
