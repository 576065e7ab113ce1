# over: good/cell_each_step.py
# verdict: WA value
# group: sample
# en: Both weights multiply from the right, transposed.
# zh: 两个权重都以转置从右边相乘。
@@ def step
-        z = x @ self.weight_ih_l0.T + h @ self.weight_hh_l0.T
+        z = x @ self.weight_ih_l0.T + h @ self.weight_hh_l0
