# over: solution.py
# verdict: WA value
# group: small
# en: The last update of an epoch takes fewer batches; divide by what it takes.
# zh: 一轮的最后一次更新批数不足，要除以实际取到的。
@@
-            (loss * (len(x) / num_samples)).backward()
+            (loss * (len(x) * len(taken) / (num_samples * accumulate))).backward()
