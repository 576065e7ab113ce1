# over: solution.py
# verdict: WA value
# group: sample
# en: S bins have S + 1 edges, from near to far.
# zh: S 个区间有 S + 1 条边，从 near 到 far。
@@
-    steps = torch.arange(num_samples + 1, dtype=near.dtype, device=near.device) / num_samples
+    steps = torch.arange(num_samples + 1, dtype=near.dtype, device=near.device) / (num_samples + 1)
