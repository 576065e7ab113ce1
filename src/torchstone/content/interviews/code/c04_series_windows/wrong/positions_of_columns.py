# over: solution.py
# verdict: WA value
# group: sample
# en: Positions begin at the first real step of a row, not at the first column.
# zh: 位置从该行第一个真实时间步数起，而不是第一列。
@@
-    return numbers, padded, positions < 0, positions.clamp(min=0)
+    columns = torch.arange(longest).expand(len(batch), -1) * (positions >= 0)
+    return numbers, padded, positions < 0, columns
