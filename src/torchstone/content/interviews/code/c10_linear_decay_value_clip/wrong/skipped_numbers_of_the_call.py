# over: solution.py
# verdict: WA property
# group: edge
# en: The numbers of skipped updates are those of the whole training.
# zh: 跳过的更新用整个训练中的编号。
@@
-            history["skipped"].append(step)
+            history["skipped"].append(len(history["loss"]) - 1)
