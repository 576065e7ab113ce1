# over: good/running_maximum.py
# verdict: WA property
# en: Hooks every module of the process instead of this model's layers.
# zh: 给进程里的所有模块挂 hook，而不是只给这个模型的各层。
@@
-import functools
@@
 from torch import nn
+from torch.nn.modules.module import register_module_full_backward_hook
@@ def __init__
         self.values: dict[str, float | None] = {}
-        self.handles = []
+        self.names = {}
+        self.handles = [register_module_full_backward_hook(self._record)]
@@ def __init__
-                hook = functools.partial(self._record, name)
-                self.handles.append(module.register_full_backward_hook(hook))
+                self.names[module] = name

-    def _record(self, name, module, grad_input, grad_output) -> None:
-        if not self.active:
+    def _record(self, module, grad_input, grad_output) -> None:
+        if not self.active or module not in self.names:
             return
+        name = self.names[module]
