# over: solution.py
# verdict: WA value
# group: sample
# en: The closed form for a medium of the mean density.
# zh: 按平均密度套用均匀介质的闭式解。
@@
-    tau = sigma * (torch.cat([t[:, 1:], far[:, None]], -1) - t)
+    sigma = sigma.mean(-1, keepdim=True).expand_as(sigma)
+    tau = sigma * (torch.cat([t[:, 1:], far[:, None]], -1) - t)
