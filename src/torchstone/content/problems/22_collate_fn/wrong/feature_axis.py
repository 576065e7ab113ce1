# over: solution.py
# verdict: RTE
# group: sample
# en: `F.pad` counts from the last dimension: (0, n) pads the features, and (0, 0, 0, n) the time.
# zh: F.pad 从最后一维数起：(0, n) 补的是特征维，(0, 0, 0, n) 才是时间维。
@@
-    lead = (len(samples), total) if batch_first else (total, len(samples))
-    data = torch.full((*lead, *first.shape[1:]), padding_value, dtype=dtype)
-    rows = data if batch_first else data.transpose(0, 1)
-    for row, each in zip(rows.unbind(0), samples, strict=True):
-        row[: len(each)] = each.detach()
+    padded = [
+        torch.nn.functional.pad(each.to(dtype), (0, total - len(each)), value=padding_value)
+        for each in samples
+    ]
+    data = torch.stack(padded, 0 if batch_first else 1)
