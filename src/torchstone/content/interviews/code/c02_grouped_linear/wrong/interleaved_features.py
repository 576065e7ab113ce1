# over: solution.py
# verdict: WA value
# group: sample
# en: A group is a run of neighbouring features, not every G-th one.
# zh: 一组是相邻的一段特征，不是每隔 G 个取一个。
@@
-    return x.reshape(-1, groups, features).transpose(0, 1)
+    return x.reshape(-1, features, groups).permute(2, 0, 1)
