# over: solution.py
# verdict: WA value
# group: sample
# en: The first slot is the nearest point, not the k-th.
# zh: 第一个槽是最近的点，而不是第 k 近的。
@@
-    anchors = d.topk(k, dim=-1, largest=False).values
+    anchors = d.topk(k, dim=-1, largest=False).values.flip(-1)
