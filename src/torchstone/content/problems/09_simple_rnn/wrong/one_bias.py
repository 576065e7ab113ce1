# over: good/cell_each_step.py
# verdict: WA value
# group: sample
# en: nn.RNN has two biases and adds both; their gradients are equal.
# zh: `nn.RNN` 有两个偏置，两个都要加；它们的梯度相同。
@@ def step
-            z = z + self.bias_ih_l0 + self.bias_hh_l0
+            z = z + self.bias_ih_l0
