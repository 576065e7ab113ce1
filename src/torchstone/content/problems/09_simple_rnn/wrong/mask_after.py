# over: good/cell_each_step.py
# verdict: WA grad
# group: lengths
# en: The gradient through tanh(NaN) is 0 * NaN = NaN: clean the input before the step.
# zh: `where` 没有选中的一支仍参与反向，0·NaN 还是 NaN；要在计算之前清理输入。
@@ def forward
-        x = x.masked_fill(~valid, 0.0)
