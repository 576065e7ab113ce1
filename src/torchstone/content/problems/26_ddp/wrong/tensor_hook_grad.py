# over: solution.py
# verdict: WA grad
# group: basic
# en: A hook of the tensor sees the gradient of this pass only, before it is added to what has
#   accumulated.
# zh: 张量的 hook 只看到本次反向的梯度，那时它还没有加进已累积的梯度里。
@@
         for parameter in trained:
+            parameter.register_hook(self._pass_of(parameter))
@@
         self.used = set()
+        self.before, self.passed = {}, {}
@@
         self.is_queued = False
+
+    def _pass_of(self, parameter):
+        def keep(grad):
+            before = parameter.grad
+            self.before[parameter] = None if before is None else before.clone()
+            self.passed[parameter] = grad.clone()
+
+        return keep
@@
-            flat = torch.cat([grad_or_zero(parameter).reshape(-1) for parameter in bucket])
+            flat = torch.cat([self.passed.get(p, torch.zeros_like(p)).reshape(-1) for p in bucket])
@@
                 parameter.grad.copy_(part.view_as(parameter))
+                if self.before.get(parameter) is not None:
+                    parameter.grad += self.before[parameter]
