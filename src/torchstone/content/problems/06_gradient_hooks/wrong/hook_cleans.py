# over: good/running_maximum.py
# verdict: WA grad
# group: grad
# en: A monitor that returns a cleaned gradient hides the NaN that it was built to find.
# zh: 监视器返回“清理过”的梯度，就把本该发现的 NaN 藏了起来。
@@ def _record
-    def _record(self, name, module, grad_input, grad_output) -> None:
+    def _record(self, name, module, grad_input, grad_output):
@@ def _record
-            return
+            return None
@@ def _record
                 self.values[name] = new
+        if any(gradient is None for gradient in grad_input):
+            return None
+        return tuple(gradient.nan_to_num() for gradient in grad_input)
