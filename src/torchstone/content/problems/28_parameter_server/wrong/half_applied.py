# over: solution.py
# verdict: WA value
# group: errors
# en: Check every name and shape before the first parameter is touched.
# zh: 先检查所有的键和形状，再改动第一个参数。
@@
             if self._mode == "sync":
+                self._check_names(copies, worker)
@@
-                self._apply([copies])
+                done = {}
+                for name, grad in copies.items():
+                    if name not in self._params or grad.shape != self._params[name].shape:
+                        self._clocks[worker] -= 1
+                        if done:
+                            self._apply([done])
+                            self._version -= 1
+                        raise (ValueError if name in self._params else KeyError)(name)
+                    done[name] = grad
+                self._apply([done])
@@
-        for name, grad in grads.items():
-            if name not in self._params:
-                raise KeyError(name)
-            if grad.shape != self._params[name].shape:
-                raise ValueError(f"{name}: {tuple(grad.shape)}")
+
+    def _check_names(self, copies, worker):
+        for name, grad in copies.items():
+            if name not in self._params or grad.shape != self._params[name].shape:
+                self._clocks[worker] -= 1
+                raise (ValueError if name in self._params else KeyError)(name)
