# over: solution.py
# verdict: WA value
# group: small
# en: The gradient of grad.sum() sums whole rows of the Hessian; the Laplacian needs the diagonal, one coordinate at a time.
# zh: 对 grad.sum() 求导得到的是海森矩阵的行和；拉普拉斯只要对角线，须逐个坐标求。
@@
         (gradient,) = derivatives(y.sum(), (x,), create_graph=True)
-        total = x.new_zeros(len(x))
-        for d in range(x.shape[1]):
-            (row,) = derivatives(gradient[:, d].sum(), (x,), create_graph)
-            total = total + row[:, d]
-        return total
+        (rows,) = derivatives(gradient.sum(), (x,), create_graph)
+        return rows.sum(1)
 
