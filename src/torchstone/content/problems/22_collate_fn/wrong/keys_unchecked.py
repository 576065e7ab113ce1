# over: solution.py
# verdict: WA property | RTE
# group: errors
# en: A key that the first sample lacks is dropped without a word.
# zh: 第一个样本没有的键被悄悄丢掉了。
@@
-    if any(each.keys() != first.keys() for each in samples):
+    if any(not first.keys() <= each.keys() for each in samples):
