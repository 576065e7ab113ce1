# over: solution.py
# verdict: WA property
# group: errors
# en: A gradient has exactly the shape of its parameter; one that only broadcasts is an error.
# zh: 梯度的形状必须与参数完全相同；只是能广播的梯度也是错误。
@@
-            if grad.shape != self._params[name].shape:
-                raise ValueError(f"{name}: {tuple(grad.shape)}")
+            try:
+                grad.expand_as(self._params[name])
+            except RuntimeError:
+                if grad.numel() != self._params[name].numel():
+                    raise ValueError(f"{name}: {tuple(grad.shape)}") from None
@@
-                mean = grads[0].to(value.dtype)
+                mean = _fitted(grads[0], value)
@@
-                    mean = mean + grad
+                    mean = mean + _fitted(grad, value)
@@
         return {name: value.clone() for name, value in self._params.items()}
+
+
+def _fitted(grad, value):
+    if grad.numel() == value.numel():
+        return grad.reshape(value.shape)
+    return grad.expand_as(value)
