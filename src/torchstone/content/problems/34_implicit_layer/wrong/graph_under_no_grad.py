# over: solution.py
# verdict: WA property
# group: small
# en: Gradients are enabled for the last step whatever the mode is; under no_grad no graph is
#   wanted.
# zh: 无论处于什么模式，最后一步都启用梯度；no_grad 下不应有计算图。
@@
             )
-        y = self.cell(z, x)
+        with torch.enable_grad():
+            y = self.cell(z, x)
         if y.requires_grad:
@@
         point = z.detach().clone().requires_grad_()
-        step = self.cell(point, x.detach())
+        with torch.enable_grad():
+            step = self.cell(point, x.detach())
 
