# over: solution.py
# verdict: FORBIDDEN_OP
# en: Unscales and updates with the operators of PyTorch's own scaler.
# zh: 用 PyTorch 自带缩放器的算子来反缩放与更新。
@@
-        self._bad[key] = not all(bool(torch.isfinite(grad).all()) for grad in grads)
-        inverse = 1.0 / self.get_scale()
-        with torch.no_grad():
-            for grad in grads:
-                grad.mul_(inverse)
+        found, inverse = torch.zeros(1), self._scale.reciprocal()
+        for grad in grads:
+            torch._amp_foreach_non_finite_check_and_unscale_([grad.detach()], found, inverse)
+        self._bad[key] = bool(found)
