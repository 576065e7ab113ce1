# over: solution.py
# verdict: WA value
# group: sample
# en: It multiplies the sums of the rows of H by v, entry by entry: H v weights each entry of a row by its own v.
# zh: 它把 H 的行和与 v 逐元素相乘；而 H v 中，一行的每个元素各乘各的 v。
@@
         # One number whose gradient is H v: <grad f, v>, with v held fixed.
-        slope = sum((g * direction).sum() for g, direction in zip(gradients, vs, strict=True))
+        slope = sum(g.sum() for g in gradients)
         products = derivatives(slope, xs, create_graph)
+        products = tuple(p * direction for p, direction in zip(products, vs, strict=True))
     return products[0] if is_single else products
