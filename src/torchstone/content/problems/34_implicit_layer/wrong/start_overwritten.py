# over: solution.py
# verdict: INPUT_MUTATED
# group: small
# en: The iteration writes its points into z0; the caller's tensor must stay as it is.
# zh: 迭代把各点写进了 z0；调用者的张量不得改动。
@@
         if residual < best_residual:
-            best, best_residual = z, residual
+            best, best_residual = z.clone(), residual
         if residual <= tol:
             break
-        points, values = [*points[-m:], z], [*values[-m:], fz]
-        z = mix(points, values, beta)
+        points, values = [*points[-m:], z.clone()], [*values[-m:], fz]
+        z = z.copy_(mix(points, values, beta))
     return best, SolveInfo(best_residual <= tol, calls, best_residual)
