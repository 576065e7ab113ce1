# over: solution.py
# verdict: WA property
# group: basic
# en: No backward follows a forward in eval mode or under no_grad, so nothing is to be prepared.
# zh: eval 模式或 no_grad 下的前向之后没有反向，不该为它通信。
@@
         self.will_reduce = self.syncs and self.training and torch.is_grad_enabled()
+        if self.syncs and not self.will_reduce and self.broadcast_buffers:
+            self._copy_from_first(self.module.buffers())
