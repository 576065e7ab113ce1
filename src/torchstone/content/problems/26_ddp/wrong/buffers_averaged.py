# over: solution.py
# verdict: WA value
# group: basic
# en: Buffers are set to those of rank 0, not averaged: a count of batches has no mean.
# zh: buffer 要设成 rank 0 的值，而不是取平均：批次计数没有平均可言。
@@
-                self._copy_from_first(self.module.buffers())
+                with torch.no_grad():
+                    for buffer in self.module.buffers():
+                        total = buffer.double()
+                        dist.all_reduce(total, group=self.group)
+                        buffer.copy_(total / self.group.size())
