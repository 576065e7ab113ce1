# over: solution.py
# verdict: WA grad
# group: sample
# en: The Jacobian is taken at the start, not at the fixed point.
# zh: 雅可比矩阵取在初始点，而不是不动点。
@@
         if y.requires_grad:
-            self._correct(y, z, x)
+            self._correct(y, z0, x)
         return y
