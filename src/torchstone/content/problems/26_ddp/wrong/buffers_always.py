# over: solution.py
# verdict: WA value
# group: basic
# en: With broadcast_buffers=False every rank keeps its own statistics after the constructor.
# zh: broadcast_buffers=False 时，构造之后每个 rank 各留自己的统计量。
@@
-            if self.broadcast_buffers:
-                self._copy_from_first(self.module.buffers())
+            self._copy_from_first(self.module.buffers())
