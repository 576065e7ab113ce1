# over: solution.py
# verdict: WA value
# group: small
# en: The gradient was scaled by 1 - momentum; here it enters in full.
# zh: 梯度被乘以 1 - momentum；这里应全额计入。
@@
-        # Everything is of the sum of squares; the mean is taken once, by the size of a step.
-        columns, count, losses = x.T, y.numel(), []
+        losses = []
@@
-            loss = residual.square().sum()
-            grad_w, grad_b = columns @ residual, residual.sum(0)
+            loss = residual.square().mean()
+            residual *= 2 / residual.numel()
+            grad_w, grad_b = x.T @ residual, residual.sum(0)
@@
-                loss += l2 * count * w.square().sum()
-                grad_w.add_(w, alpha=l2 * count)
+                loss += l2 * w.square().sum()
+                grad_w += 2 * l2 * w
@@
-            velocity_w = grad_w.add_(velocity_w, alpha=momentum)
-            velocity_b = grad_b.add_(velocity_b, alpha=momentum)
-            w.sub_(velocity_w, alpha=2 * lr / count)
-            b.sub_(velocity_b, alpha=2 * lr / count)
-        history = torch.stack(losses) / count if losses else x.new_empty(0)
+            w.sub_(velocity_w.mul_(momentum).add_(grad_w, alpha=1 - momentum), alpha=lr)
+            b.sub_(velocity_b.mul_(momentum).add_(grad_b, alpha=1 - momentum), alpha=lr)
+        history = torch.stack(losses) if losses else x.new_empty(0)
