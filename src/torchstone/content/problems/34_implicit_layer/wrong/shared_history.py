# over: solution.py
# verdict: WA property
# group: small
# en: The history lives on between calls: the second call mixes points of the first. Two calls,
#   two histories.
# zh: 历史在两次调用之间保留：第二次调用混入了第一次的点。历史不能共用，应每次新建。
@@
 
+HISTORY = {}
+
+
 def anderson(f, z0, m=5, max_iter=50, tol=1e-6, beta=1.0):
     """Solve f(z) = z by Anderson acceleration; return the best evaluated point and a report."""
-    z, points, values = z0.detach(), [], []
+    z = z0.detach()
+    points, values = HISTORY.get((z.shape, z.dtype), ([], []))
     best, best_residual, calls = z, float("inf"), 0
@@
         points, values = [*points[-m:], z], [*values[-m:], fz]
+        HISTORY[z.shape, z.dtype] = points, values
         z = mix(points, values, beta)
