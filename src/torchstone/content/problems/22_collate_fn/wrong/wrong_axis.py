# over: solution.py
# verdict: WA shape | RTE | WA value
# group: sample
# en: The result is padded and stacked with the time in front of the batch.
# zh: 结果把时间放在了 batch 之前。
@@
-    lead = (len(samples), total) if batch_first else (total, len(samples))
+    lead = (total, len(samples)) if batch_first else (len(samples), total)
@@
-    rows = data if batch_first else data.transpose(0, 1)
+    rows = data.transpose(0, 1) if batch_first else data
