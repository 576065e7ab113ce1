# over: good/running_maximum.py
# verdict: WA property
# en: Replaces nn.Module.__call__ for the whole process.
# zh: 为整个进程替换 `nn.Module.__call__`。
@@
-import functools
@@
 from torch import nn
+
+MONITORS = []
+ORIGINAL = nn.Module.__call__
+
+
+def watched_call(module, *args, **kwargs):
+    output = ORIGINAL(module, *args, **kwargs)
+    for monitor in MONITORS:
+        monitor.follow(module, output)
+    return output
+
+
+nn.Module.__call__ = watched_call
@@ def __init__
         self.values: dict[str, float | None] = {}
-        self.handles = []
+        self.names = {}
@@ def __init__
-                hook = functools.partial(self._record, name)
-                self.handles.append(module.register_full_backward_hook(hook))
+                self.names[module] = name
+        MONITORS.append(self)

-    def _record(self, name, module, grad_input, grad_output) -> None:
-        if not self.active:
-            return
-        for gradient in grad_output:
-            if gradient is None or gradient.numel() == 0:
-                continue
+    def follow(self, module, output) -> None:
+        if module in self.names:
+            for tensor in output if isinstance(output, tuple) else (output,):
+                if tensor.requires_grad:
+                    tensor.register_hook(lambda g: self._record(self.names[module], g))
+
+    def _record(self, name, gradient) -> None:
+        if self.active and gradient.numel():
@@ def remove
-        for handle in self.handles:
-            handle.remove()
-        self.handles = []
+        if self in MONITORS:
+            MONITORS.remove(self)
