# over: good/cell_each_step.py
# verdict: WA property
# group: growth
# en: Each cat copies the past, quadratic in all; append to a list and stack once.
# zh: 每步 `cat` 都复制全部历史，总量是平方级；应先放进列表，最后 `stack` 一次。
@@ def forward
-        outputs = []
+        output = x.new_zeros(0, rows, self.hidden_size)
@@ def forward
-            outputs.append(h)
-        output = torch.stack(outputs) if outputs else x.new_zeros(0, rows, self.hidden_size)
+            output = torch.cat([output, h[None]])
