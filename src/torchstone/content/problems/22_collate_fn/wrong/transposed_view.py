# over: solution.py
# verdict: WA property
# group: multiple
# en: A transposed view is not contiguous, so `.view` fails later.
# zh: 转置得到的视图不连续，后面的 .view 会失败。
@@
-    lead = (len(samples), total) if batch_first else (total, len(samples))
+    lead = (len(samples), total)
@@
-    rows = data if batch_first else data.transpose(0, 1)
+    rows = data
@@
     mask = torch.arange(total) < lengths[:, None]
+    data = data if batch_first else data.transpose(0, 1)
