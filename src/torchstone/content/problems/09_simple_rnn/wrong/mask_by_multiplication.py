# over: good/cell_each_step.py
# verdict: WA grad
# group: lengths
# en: NaN * 0 is NaN; fill the padding instead of multiplying it away.
# zh: NaN 乘 0 还是 NaN；应该用 `masked_fill` 填充，而不是相乘。
@@ def forward
-        x = x.masked_fill(~valid, 0.0)
+        x = x * valid
