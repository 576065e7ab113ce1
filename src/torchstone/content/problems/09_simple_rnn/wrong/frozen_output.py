# over: good/cell_each_step.py
# verdict: WA value
# group: lengths
# en: Outputs beyond the end are zeros, as in pad_packed_sequence, not the last state.
# zh: 序列结束之后的输出是 0（与 `pad_packed_sequence` 一致），不是最后的状态。
@@ def forward
-        output = output.masked_fill(~valid, 0.0)
