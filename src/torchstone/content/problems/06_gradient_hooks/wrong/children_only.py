# over: good/running_maximum.py
# verdict: WA property
# group: sample
# en: named_children is one level; named_modules walks the tree.
# zh: `named_children` 只看一层，`named_modules` 才遍历整棵树。
@@ def __init__
-        for name, module in model.named_modules():
-            if not list(module.children()):
-                self.values[name] = None
-                hook = functools.partial(self._record, name)
-                self.handles.append(module.register_full_backward_hook(hook))
+        for name, module in model.named_children():
+            self.values[name] = None
+            hook = functools.partial(self._record, name)
+            self.handles.append(module.register_full_backward_hook(hook))
