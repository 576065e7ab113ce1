# over: good/running_maximum.py
# verdict: WA property
# group: grad
# en: A stored output keeps the whole graph alive; store numbers.
# zh: 存下输出就留住了整张图；应该只存数值。
@@ def __init__
         self.values: dict[str, float | None] = {}
+        self.outputs = []
@@ def __init__
                 self.values[name] = None
+                self.handles.append(module.register_forward_hook(self._keep))
@@ class GradientMonitor
                 self.handles.append(module.register_full_backward_hook(hook))
+
+    def _keep(self, module, inputs, output) -> None:
+        self.outputs.append(output)
