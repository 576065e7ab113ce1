# over: solution.py
# verdict: WA shape
# group: sample
# en: The union keeps every coarse sample, also where a fine one stands nearby.
# zh: 并集保留全部粗样本，即使旁边有细样本。
@@
-            t = torch.cat([t, fine], -1).sort(-1).values
+            t = torch.cat([t[:, :-1], fine], -1).sort(-1).values
