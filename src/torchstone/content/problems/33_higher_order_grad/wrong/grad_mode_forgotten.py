# over: solution.py
# verdict: RTE
# group: edge
# en: Under no_grad f records nothing; derivatives need torch.enable_grad().
# zh: 处于 no_grad 时 f 什么也不记录；求导须打开 torch.enable_grad()。
@@
         raise ValueError("hvp: v must have the shapes of inputs")
-    with torch.enable_grad():
+    with torch.set_grad_enabled(torch.is_grad_enabled()):
         xs = tuple(map(differentiable, xs))
@@
     """Differentiate one number; what is not in its graph has the derivative zero."""
-    if not y.requires_grad:
+    if not y.requires_grad and torch.is_grad_enabled():
         return tuple(map(torch.zeros_like, xs))
