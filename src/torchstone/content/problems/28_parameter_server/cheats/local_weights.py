# over: solution.py
# verdict: WA value | WA property | HUNG
# en: The client keeps weights of its own and steps them with its own gradients.
# zh: 客户端自己保存一份权重，只用自己的梯度更新。
@@
-        self._conn = conn
+        self._conn, self._own = conn, None
@@
-        return self._ask("pull")
+        if self._own is None:
+            self._own = self._ask("pull")
+        return {name: value.clone() for name, value in self._own.items()}
@@
     def push(self, grads):
+        for name, grad in grads.items():
+            self._own[name] -= 0.1 * grad
