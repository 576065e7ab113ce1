# over: solution.py
# verdict: WA shape | RTE
# group: multiple
# en: The length is rounded down, and data is cut off.
# zh: 长度向下取整，数据被截掉了。
@@
-    total = -(-longest // pad_to_multiple_of) * pad_to_multiple_of  # rounded up
+    total = max(longest // pad_to_multiple_of, 1) * pad_to_multiple_of
+    total = min(total, total if longest else 0)
@@
-        row[: len(each)] = each.detach()
+        row[: len(each)] = each.detach()[:total]
