# over: solution.py
# verdict: RTE
# group: layout
# en: view() needs contiguous memory; reshape() takes any strides.
# zh: view() 要求内存连续；reshape() 接受任意步长。
@@
         # One number whose gradient is H v: <grad f, v>, with v held fixed.
-        slope = sum((g * direction).sum() for g, direction in zip(gradients, vs, strict=True))
+        slope = sum(g.reshape(-1) @ d.view(-1) for g, d in zip(gradients, vs, strict=True))
         products = derivatives(slope, xs, create_graph)
