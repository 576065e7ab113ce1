# over: solution.py
# verdict: WA shape
# group: multiple
# en: A length that is a multiple already gets one more block; round up instead.
# zh: 长度已是倍数时又多加了一块；应当向上取整。
@@
-    total = -(-longest // pad_to_multiple_of) * pad_to_multiple_of  # rounded up
+    total = longest
+    if pad_to_multiple_of > 1:
+        total = (longest // pad_to_multiple_of + 1) * pad_to_multiple_of
