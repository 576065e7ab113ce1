# over: solution.py
# verdict: WA value
# group: small
# en: Each input is multiplied by its own diagonal block only; the product needs the cross blocks.
# zh: 每个输入只乘了自己的对角块；完整的乘积还需要交叉块。
@@
         # One number whose gradient is H v: <grad f, v>, with v held fixed.
-        slope = sum((g * direction).sum() for g, direction in zip(gradients, vs, strict=True))
-        products = derivatives(slope, xs, create_graph)
+        slopes = [(g * direction).sum() for g, direction in zip(gradients, vs, strict=True)]
+        products = tuple(derivatives(s, (x,), create_graph)[0] for s, x in zip(slopes, xs, strict=True))
     return products[0] if is_single else products
