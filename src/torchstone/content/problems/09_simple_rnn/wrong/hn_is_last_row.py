# over: good/cell_each_step.py
# verdict: WA value
# group: lengths
# en: Shorter sequences end earlier: their last state is not the last row of the output.
# zh: 短序列更早结束，`h_n` 不是输出的最后一行。
@@ def forward
-        h_n = h[None]
+        h_n = output[-1:].clone() if steps else h0
