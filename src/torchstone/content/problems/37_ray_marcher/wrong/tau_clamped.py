# over: solution.py
# verdict: WA value | WA grad
# group: scale
# en: A clamp of the optical depth lets light through a wall, and takes its gradient.
# zh: 截断光学厚度，会让光穿过墙，并且丢掉梯度。
@@
-    total = F.pad(tau.cumsum(-1), (1, 0))
+    tau = tau.clamp(min=1e-8)
+    total = F.pad(tau.cumsum(-1), (1, 0))
