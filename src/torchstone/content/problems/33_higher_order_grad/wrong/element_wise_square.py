# over: solution.py
# verdict: WA value
# group: sample
# en: The square of the first derivative is not the second derivative.
# zh: 一阶导的平方不是二阶导。
@@
         (gradient,) = derivatives(y.sum(), (x,), create_graph=True)
-        total = x.new_zeros(len(x))
-        for d in range(x.shape[1]):
-            (row,) = derivatives(gradient[:, d].sum(), (x,), create_graph)
-            total = total + row[:, d]
-        return total
+        total = gradient.square().sum(1)
+        return total if create_graph else total.detach()
 
