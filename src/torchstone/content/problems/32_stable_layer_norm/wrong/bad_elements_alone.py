# over: solution.py
# verdict: WA value
# group: edge
# en: A mean over a NaN is NaN: the whole row is NaN, not the element alone.
# zh: 含有 NaN 的均值就是 NaN：整行都是 NaN，而不只是那一个元素。
@@
-    rows = x.flatten(-len(shape)).to(wide)
+    given = x.flatten(-len(shape)).to(wide)
+    rows = given.nan_to_num(0.0, 0.0, 0.0)
@@
-    return y.to(x.dtype).reshape(x.shape)
+    return (y + (given - given).detach()).to(x.dtype).reshape(x.shape)
