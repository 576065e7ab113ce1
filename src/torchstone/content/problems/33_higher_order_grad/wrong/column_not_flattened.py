# over: solution.py
# verdict: WA shape|RTE
# group: small
# en: A function may return (N, 1); one number for each row is (N,).
# zh: 函数可能返回 (N, 1)；结果应是每行一个数，即 (N,)。
@@
         (gradient,) = derivatives(y.sum(), (x,), create_graph=True)
-        total = x.new_zeros(len(x))
+        total = x.new_zeros(y.shape)
         for d in range(x.shape[1]):
             (row,) = derivatives(gradient[:, d].sum(), (x,), create_graph)
-            total = total + row[:, d]
+            total = total + row[:, d].reshape(y.shape)
         return total
