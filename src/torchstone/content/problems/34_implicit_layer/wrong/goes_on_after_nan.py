# over: solution.py
# verdict: WA property
# group: edge
# en: A non-finite value of f does not end the iteration; all points after it are lost.
# zh: f 给出非有限值后仍继续迭代；其后的点全都作废。
@@
         calls += 1
-        if not fz.isfinite().all():
-            break
         residual = residual_of(z, fz)
@@
         points, values = [*points[-m:], z], [*values[-m:], fz]
-        z = mix(points, values, beta)
+        z = mix(points, values, beta) if fz.isfinite().all() else fz
     return best, SolveInfo(best_residual <= tol, calls, best_residual)
