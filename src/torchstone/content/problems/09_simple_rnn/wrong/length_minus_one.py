# over: good/cell_each_step.py
# verdict: WA value
# group: lengths
# en: For length 0 the index -1 wraps to the last step; the state there is h0.
# zh: 长度为 0 时下标 −1 会绕到最后一步；那里的状态应是 h0。
@@ def forward
-        h_n = h[None]
+        h_n = output[lengths - 1, torch.arange(rows)][None] if steps else h0
