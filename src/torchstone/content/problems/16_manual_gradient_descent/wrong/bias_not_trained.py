# over: solution.py
# verdict: WA value
# group: sample
# en: The bias stays where it was; it is a parameter, too.
# zh: 偏置原地不动；它也是参数。
@@
-        velocity_w, velocity_b = torch.zeros_like(w), torch.zeros_like(b)
-        # Everything is of the sum of squares; the mean is taken once, by the size of a step.
-        columns, count, losses = x.T, y.numel(), []
+        velocity_w = torch.zeros_like(w)
+        losses = []
@@
-            loss = residual.square().sum()
-            grad_w, grad_b = columns @ residual, residual.sum(0)
+            loss = residual.square().mean()
+            residual *= 2 / residual.numel()
+            grad_w = x.T @ residual
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
+            w.sub_(velocity_w.mul_(momentum).add_(grad_w), alpha=lr)
+        history = torch.stack(losses) if losses else x.new_empty(0)
