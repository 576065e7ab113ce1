# over: solution.py
# verdict: WA property
# group: sample
# en: Two queries are enough: the second sees all samples.
# zh: 两次查询就够了：第二次看到全部样本。
@@
-            weights = look(t).weights
+            look(t)
+            weights = look(t).weights
