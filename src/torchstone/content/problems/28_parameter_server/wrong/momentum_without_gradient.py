# over: solution.py
# verdict: WA value
# group: partial
# en: A name that is missing from a push is left alone: its velocity must not move it on.
# zh: 推送中没有的键不动：它的速度也不能让它继续前进。
@@
-            if grads:
-                mean = grads[0].to(value.dtype)
-                for grad in grads[1:]:
-                    mean = mean + grad
-                velocity = self._velocity[name]
-                velocity.mul_(self._momentum).add_(mean / len(grads))
-                value.sub_(self._lr * velocity)
+            mean = torch.zeros_like(value)
+            for grad in grads:
+                mean = mean + grad
+            velocity = self._velocity[name]
+            velocity.mul_(self._momentum).add_(mean / max(len(grads), 1))
+            value.sub_(self._lr * velocity)
