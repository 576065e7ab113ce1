# over: solution.py
# verdict: WA value
# group: sample
# en: The loss after the update was recorded; losses[k] belongs to the point before update k.
# zh: 记录了更新之后的损失；losses[k] 应是第 k 次更新之前的。
@@
-        # Everything is of the sum of squares; the mean is taken once, by the size of a step.
-        columns, count, losses = x.T, y.numel(), []
+        losses = []
@@
-            loss = residual.square().sum()
-            grad_w, grad_b = columns @ residual, residual.sum(0)
+            residual *= 2 / residual.numel()
+            grad_w, grad_b = x.T @ residual, residual.sum(0)
@@
-                loss += l2 * count * w.square().sum()
-                grad_w.add_(w, alpha=l2 * count)
-            losses.append(loss)
-            velocity_w = grad_w.add_(velocity_w, alpha=momentum)
-            velocity_b = grad_b.add_(velocity_b, alpha=momentum)
-            w.sub_(velocity_w, alpha=2 * lr / count)
-            b.sub_(velocity_b, alpha=2 * lr / count)
-        history = torch.stack(losses) / count if losses else x.new_empty(0)
+                grad_w += 2 * l2 * w
+            w.sub_(velocity_w.mul_(momentum).add_(grad_w), alpha=lr)
+            b.sub_(velocity_b.mul_(momentum).add_(grad_b), alpha=lr)
+            losses.append((x @ w + b - y).square().mean() + l2 * w.square().sum())
+        history = torch.stack(losses) if losses else x.new_empty(0)
