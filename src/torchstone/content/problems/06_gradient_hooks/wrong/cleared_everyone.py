# over: good/running_maximum.py
# verdict: WA property
# group: removal
# en: Remove your own handles, not other people's hooks.
# zh: 只移除自己的句柄，别人的 hook 不能动。
@@ def __init__
         self.values: dict[str, float | None] = {}
-        self.handles = []
+        self.layers = []
@@ def __init__
-                self.handles.append(module.register_full_backward_hook(hook))
+                self.layers.append(module)
+                module.register_full_backward_hook(hook)
@@ def remove
-        for handle in self.handles:
-            handle.remove()
-        self.handles = []
+        for module in self.layers:
+            module._backward_hooks.clear()
