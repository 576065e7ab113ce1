# over: solution.py
# verdict: WA property | RTE
# group: sample
# en: Time passes between backward hooks. A full backward hook wraps the outputs and breaks layers that work in place, and it measures waiting.
# zh: 在反向钩子之间计时。完整反向钩子会包装输出、破坏原地层，量到的还有等待。
@@
+import time
 from dataclasses import dataclass, field
@@
                 module.register_forward_hook(self._end, always_call=True),
+                module.register_full_backward_pre_hook(self._begin_backward),
+                module.register_full_backward_hook(self._end_backward),
             ]
@@
         self._open.pop().__exit__(None, None, None)
 
+    def _begin_backward(self, module, grad_output) -> None:
+        module._begun = time.perf_counter()
+
+    def _end_backward(self, module, grad_input, grad_output) -> None:
+        module._took = getattr(module, "_took", 0.0) + time.perf_counter() - module._begun
+
     def stats(self) -> list[LayerStat]:
         rows = [LayerStat(name, type(module).__name__) for name, module in self._layers]
+        for row, (_, module) in zip(rows, self._layers, strict=True):
+            row.backward_us = getattr(module, "_took", 0.0) * 1e6
@@
-                if owner := owners.get(number):
-                    owner.backward_us += (end - start) / 1e3
+                continue
             else:
