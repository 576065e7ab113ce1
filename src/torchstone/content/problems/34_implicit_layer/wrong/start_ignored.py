# over: solution.py
# verdict: RTE | WA property
# group: small
# en: The argument z0 is ignored and the solver begins with zeros like x.
# zh: 忽略参数 z0，总是从与 x 同形的零开始。
@@
         """Solve without a graph, then take one step with it."""
-        z0 = torch.zeros_like(x) if z0 is None else z0.detach()
+        z0 = torch.zeros_like(x)
         with torch.no_grad():
