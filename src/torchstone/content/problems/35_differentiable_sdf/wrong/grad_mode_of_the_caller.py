# over: solution.py
# verdict: RTE
# group: edge
# en: Under no_grad nothing is recorded: switch it on inside.
# zh: no_grad 之下不记录计算图：函数内部要重新打开。
@@
     """Return the gradient of f at each point, whatever the grad mode of the caller is."""
-    with torch.enable_grad():
+    if True:
         x = p if p.requires_grad else p.detach().requires_grad_()
