# over: solution.py
# verdict: WA value
# group: sample
# en: Without sorting intervals are negative, and so are weights.
# zh: 不排序，区间长度为负，权重也为负。
@@
-            t = torch.cat([t, fine], -1).sort(-1).values
+            t = torch.cat([t, fine], -1)
