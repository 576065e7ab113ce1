# over: solution.py
# verdict: WA value
# group: small
# en: The last update of an epoch takes fewer batches; its mean divides by their number.
# zh: 一轮的最后一次更新批数不足，求平均要除以实际的批数。
@@
-            (loss / len(batches)).backward()
+            (loss / accumulate).backward()
