# over: solution.py
# verdict: WA property
# group: sample
# en: num_iterations is the index of the last call; it is the number of calls.
# zh: num_iterations 写成了最后一次调用的下标；它是 f 的调用次数。
@@
         z = mix(points, values, beta)
-    return best, SolveInfo(best_residual <= tol, calls, best_residual)
+    return best, SolveInfo(best_residual <= tol, calls - 1, best_residual)
 
