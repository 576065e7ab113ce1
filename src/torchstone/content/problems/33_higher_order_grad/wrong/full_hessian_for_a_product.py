# over: solution.py
# verdict: WA property | TLE
# group: large
# en: It builds the Hessian to multiply it by v; the gradient of <grad f, v> costs about two gradients.
# zh: 为了乘以 v 而建出整个海森矩阵；对 ⟨∇f, v⟩ 求导只需约两次梯度的代价。
@@
         gradients = derivatives(one_number(f(*xs)), xs, create_graph=True)
-        # One number whose gradient is H v: <grad f, v>, with v held fixed.
-        slope = sum((g * direction).sum() for g, direction in zip(gradients, vs, strict=True))
-        products = derivatives(slope, xs, create_graph)
+        flat = torch.cat([direction.reshape(-1) for direction in vs])
+        totals = [torch.zeros_like(x) for x in xs]
+        # H v is a combination of the rows of H, which is symmetric.
+        for g, factor in zip(torch.cat([g.reshape(-1) for g in gradients]), flat, strict=True):
+            row = derivatives(g, xs, create_graph)
+            totals = [total + factor * part for total, part in zip(totals, row, strict=True)]
+        products = tuple(totals)
     return products[0] if is_single else products
