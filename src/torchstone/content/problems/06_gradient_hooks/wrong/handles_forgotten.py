# over: good/running_maximum.py
# verdict: WA property
# group: removal
# en: register_* returns a handle; a hook that is never removed slows every later step.
# zh: `register_*` 会返回句柄；不移除的 hook 会拖慢之后的每一步。
@@ def __init__
         self.values: dict[str, float | None] = {}
-        self.handles = []
@@ def __init__
-                self.handles.append(module.register_full_backward_hook(hook))
+                module.register_full_backward_hook(hook)
@@ def remove
-        for handle in self.handles:
-            handle.remove()
-        self.handles = []
