# over: solution.py
# verdict: WA value
# group: small
# en: The mean was taken over the samples alone, not over all N·K elements.
# zh: 只对样本取了平均，而不是对全部 N·K 个元素。
@@
-        # Everything is of the sum of squares; the mean is taken once, by the size of a step.
-        columns, count, losses = x.T, y.numel(), []
+        losses = []
@@
-            loss = residual.square().sum()
-            grad_w, grad_b = columns @ residual, residual.sum(0)
+            loss = residual.square().sum() / len(x)
+            residual *= 2 / len(x)
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
+            w.sub_(velocity_w.mul_(momentum).add_(grad_w), alpha=lr)
+            b.sub_(velocity_b.mul_(momentum).add_(grad_b), alpha=lr)
+        history = torch.stack(losses) if losses else x.new_empty(0)
