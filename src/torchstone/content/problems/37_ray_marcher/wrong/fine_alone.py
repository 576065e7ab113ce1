# over: solution.py
# verdict: WA shape
# group: sample
# en: The last query sees coarse and fine samples together.
# zh: 最后一次查询用的是粗细样本的并集。
@@
-            t = torch.cat([t, fine], -1).sort(-1).values
+            t = fine.sort(-1).values
