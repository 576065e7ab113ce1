# over: solution.py
# verdict: WA value
# group: sample
# en: The interval from the last sample to far belongs to that sample.
# zh: 最后一个样本到 far 的一段也属于它。
@@
-    tau = sigma * (torch.cat([t[:, 1:], far[:, None]], -1) - t)
+    tau = sigma * F.pad(t.diff(dim=-1), (0, 1))
