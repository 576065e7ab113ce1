# over: good/cell_each_step.py
# verdict: WA value
# group: module
# en: The caller carries the state; a module that remembers leaks it into the next batch.
# zh: 状态由调用者传递；模块自己记住，就会带进下一个批次。
@@ def __init__
         self.batch_first = batch_first
+        self.state = None
@@ def forward
-            h0 = x.new_zeros(1, rows, self.hidden_size)
+            fits = self.state is not None and self.state.shape[1] == rows
+            h0 = self.state if fits else x.new_zeros(1, rows, self.hidden_size)
@@ def forward
         h_n = h[None]
+        self.state = h_n.detach()
