# over: good/running_maximum.py
# verdict: WA property
# group: sample
# en: A container repeats the gradient of its last layer; layers are the modules without children.
# zh: 容器的梯度只是最后一层的重复；没有子模块的模块才算一层。
@@ def __init__
-            if not list(module.children()):
-                self.values[name] = None
-                hook = functools.partial(self._record, name)
-                self.handles.append(module.register_full_backward_hook(hook))
+            self.values[name] = None
+            hook = functools.partial(self._record, name)
+            self.handles.append(module.register_full_backward_hook(hook))
