# over: solution.py
# verdict: MLE | TLE
# group: scale
# en: A product with a matrix of ones leaves the sum in each column, of which one suffices; 70 000 columns make 20 GB.
# zh: 乘以全 1 方阵，会在每一列都得到同一个和，其实一列就够；7 万列的方阵要 20 GB。
@@
-    total = (scores - shift).exp().sum(dim, keepdim=True)
+    total = sum_along((scores - shift).exp(), dim)
@@
-    return (result if keepdim or x.dim() == 0 else result.squeeze(dim)).to(x.dtype)
+    result = result if x.dim() == 0 or x.size(dim) == 0 else result.narrow(dim, 0, 1)
+    result = result if keepdim or x.dim() == 0 else result.squeeze(dim)
+    return result.to(x.dtype, copy=True)
+
+
+def sum_along(weights: Tensor, dim: int) -> Tensor:
+    if weights.dim() == 0 or weights.size(dim) == 0:
+        return weights.sum(dim, keepdim=True)
+    rows = weights.movedim(dim, -1)
+    return (rows @ rows.new_ones(rows.size(-1), rows.size(-1))).movedim(-1, dim)
@@
-    total = weights.sum(dim, keepdim=True)
+    total = sum_along(weights, dim)
@@
-    total = shifted.exp().sum(dim, keepdim=True)
+    total = sum_along(shifted.exp(), dim)
