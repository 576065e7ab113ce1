# over: solution.py
# verdict: WA value | WA grad
# group: scale
# en: log(1 - alpha + eps) limits what a wall absorbs.
# zh: log(1 − α + eps) 限制了墙能吸收的光。
@@
-    total = F.pad(tau.cumsum(-1), (1, 0))
+    tau = -torch.log(torch.exp(-tau) + 1e-10)
+    total = F.pad(tau.cumsum(-1), (1, 0))
