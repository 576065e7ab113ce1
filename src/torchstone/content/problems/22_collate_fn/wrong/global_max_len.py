# over: solution.py
# verdict: WA shape
# group: sample
# en: Every batch is padded to one constant length; pad to the longest of this batch, which is the
#   point of a collate_fn.
# zh: 每批都补到同一个固定长度；只需补到本批最长，这正是 collate_fn 的意义。
@@
-    total = -(-longest // pad_to_multiple_of) * pad_to_multiple_of  # rounded up
+    total = max(16, -(-longest // pad_to_multiple_of) * pad_to_multiple_of)  # rounded up
