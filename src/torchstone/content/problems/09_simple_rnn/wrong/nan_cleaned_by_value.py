# over: good/cell_each_step.py
# verdict: WA value
# group: lengths
# en: Clean the padding by its place, not by its value: a NaN inside a sequence must show.
# zh: 清理填充要看位置，不能看数值：序列内部的 NaN 必须显现出来。
@@ def forward
-        x = x.masked_fill(~valid, 0.0)
+        x = torch.nan_to_num(x, nan=0.0, posinf=0.0, neginf=0.0)
