# over: solution.py
# verdict: WA value
# group: basic
# en: The statistics of a BatchNorm are state, too, although no gradient changes them.
# zh: BatchNorm 的统计量虽不由梯度更新，也同样是状态。
@@
-        self._copy_from_first([*module.parameters(), *module.buffers()])
+        self._copy_from_first(module.parameters())
@@
-            if self.broadcast_buffers:
-                self._copy_from_first(self.module.buffers())
