# over: solution.py
# verdict: WA value
# group: small
# en: A call without z0 starts where the last call ended. What was solved before decides the path;
#   z0=None means zeros.
# zh: 没有给出 z0 的调用从上一次的解开始，路径取决于以前解过什么；z0=None 表示零。
@@
         """Solve without a graph, then take one step with it."""
-        z0 = torch.zeros_like(x) if z0 is None else z0.detach()
+        if z0 is None:
+            z0 = getattr(self, "warm", torch.zeros_like(x))
+        z0 = z0.detach()
         with torch.no_grad():
@@
         y = self.cell(z, x)
+        self.warm = z
         if y.requires_grad:
