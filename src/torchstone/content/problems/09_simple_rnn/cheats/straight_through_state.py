# over: good/cell_each_step.py
# verdict: WA grad
# en: Right values with a gradient that jumps over the activation and the recurrence.
# zh: 数值正确，但梯度绕过了激活函数与递推。
@@ def forward
-            h = torch.where(valid[t], self.step(x_t, h), h)
+            new = self.step(x_t, h)
+            shortcut = x_t.mean(-1, keepdim=True) + h
+            new = shortcut + (new - shortcut).detach()
+            h = torch.where(valid[t], new, h)
