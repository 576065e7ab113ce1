# over: good/cell_each_step.py
# verdict: WA value
# group: small
# en: The dimensions are exchanged; view only reads the same numbers in another order.
# zh: 要交换维度；`view` 只是把同样的数按另一种形状重新解释。
@@ def forward
-            x = x.transpose(0, 1)
+            x = x.reshape(x.shape[1], x.shape[0], x.shape[2])
@@ def forward
-            output = output.transpose(0, 1)
+            output = output.reshape(rows, steps, self.hidden_size)
