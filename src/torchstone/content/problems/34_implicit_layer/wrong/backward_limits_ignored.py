# over: solution.py
# verdict: WA property
# group: perf
# en: The adjoint equation is solved with the limits of the forward solve; backward_tol and
#   backward_max_iter are meant for it.
# zh: 求解伴随方程时用了前向的限制；应使用 backward_tol 与 backward_max_iter。
@@
                 g,
-                tol=self.backward_tol,
-                max_iter=self.backward_max_iter,
+                tol=self.tol,
+                max_iter=self.max_iter,
             )
