# over: solution.py
# verdict: WA property
# group: sample
# en: Every result keeps a graph; with create_graph=False it must not require grad.
# zh: 结果总带着计算图；create_graph=False 时不应需要梯度。
@@
         slope = sum((g * direction).sum() for g, direction in zip(gradients, vs, strict=True))
-        products = derivatives(slope, xs, create_graph)
+        products = derivatives(slope, xs, create_graph=True)
     return products[0] if is_single else products
