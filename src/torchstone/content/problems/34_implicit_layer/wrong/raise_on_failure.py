# over: solution.py
# verdict: RTE
# group: edge
# en: Raises when the iteration has not converged; report it, the trainer decides.
# zh: 不收敛就抛错；应当报告，由训练代码决定。
@@
         z = mix(points, values, beta)
+    if best_residual > tol:
+        raise RuntimeError(f"no convergence in {max_iter} calls")
     return best, SolveInfo(best_residual <= tol, calls, best_residual)
