# over: solution.py
# verdict: WA property
# group: edge
# en: The last point is returned; Anderson is not monotone, so an earlier one can be better.
# zh: 返回最后一个点；Anderson 不单调，更早的点可能更好，应返回最优点。
@@
         residual = residual_of(z, fz)
-        if residual < best_residual:
-            best, best_residual = z, residual
+        best, best_residual = z, residual
         if residual <= tol:
