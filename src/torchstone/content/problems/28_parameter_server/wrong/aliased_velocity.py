# over: solution.py
# verdict: WA value
# group: alias
# en: The first velocity equals the gradient, but it must be a tensor of its own.
# zh: 第一次的速度等于梯度，但必须是独立的张量。
@@
-        self._velocity = {name: torch.zeros_like(value) for name, value in self._params.items()}
+        self._velocity = {}  # made by the first gradient
@@
-            copies = {name: grad.detach().clone() for name, grad in grads.items()}
+            copies = dict(grads)
@@
-                self._queues[worker].append(copies)
+                self._queues[worker].append({name: grad.clone() for name, grad in grads.items()})
@@
-                velocity = self._velocity[name]
-                velocity.mul_(self._momentum).add_(mean / len(grads))
+                if len(grads) > 1:
+                    mean = mean / len(grads)
+                velocity = self._velocity.get(name)
+                velocity = (
+                    mean if velocity is None else torch.add(mean, velocity, alpha=self._momentum)
+                )
+                self._velocity[name] = velocity
