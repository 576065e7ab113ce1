# over: solution.py
# verdict: WA value
# group: sample
# en: A sample stands at the beginning of its interval, not at its end.
# zh: 样本位于其区间的起点，不是终点。
@@
-    tau = sigma * (torch.cat([t[:, 1:], far[:, None]], -1) - t)
+    tau = sigma * torch.cat([t[:, :1], t.diff(dim=-1)], -1)
