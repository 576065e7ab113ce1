# over: good/running_maximum.py
# verdict: WA grad
# group: grad
# en: A value that a backward hook returns replaces grad_input; a monitor returns None.
# zh: backward hook 的返回值会替换 `grad_input`；监视器应返回 None。
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
+        return tuple(gradient.clamp(-50.0, 50.0) for gradient in grad_input)
