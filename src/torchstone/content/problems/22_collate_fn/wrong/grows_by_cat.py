# over: solution.py
# verdict: SLOW
# group: growth
# en: The result grows by one row with each `cat`, which copies all rows before it.
# zh: 每次 cat 加一行，都把前面的行重新复制一遍。
@@
-    rows = data if batch_first else data.transpose(0, 1)
-    for row, each in zip(rows.unbind(0), samples, strict=True):
-        row[: len(each)] = each.detach()
+    rows = None
+    for each in samples:
+        row = torch.full((1, total, *first.shape[1:]), padding_value, dtype=dtype)
+        row[0, : len(each)] = each.detach()
+        rows = row if rows is None else torch.cat([rows, row])
+    data = rows if batch_first else rows.transpose(0, 1).contiguous()
