# over: solution.py
# verdict: WA value
# group: sync
# en: SGD without dampening: v = momentum * v + g, with the whole gradient.
# zh: 没有 dampening 的 SGD：v = momentum * v + g，梯度不乘 1 - momentum。
@@
-                velocity.mul_(self._momentum).add_(mean / len(grads))
+                velocity.mul_(self._momentum).add_((1 - self._momentum) * mean / len(grads))
