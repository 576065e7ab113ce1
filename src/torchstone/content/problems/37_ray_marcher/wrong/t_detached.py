# over: solution.py
# verdict: WA grad
# group: sample
# en: The samples of composite are differentiable: intervals and depth depend on them.
# zh: composite 对 t 可微：区间长度和深度都依赖它。
@@
-    tau = sigma * (torch.cat([t[:, 1:], far[:, None]], -1) - t)
+    tau = sigma * (torch.cat([t[:, 1:], far[:, None]], -1) - t).detach()
