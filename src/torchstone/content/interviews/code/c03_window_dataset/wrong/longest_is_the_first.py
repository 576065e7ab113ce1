# over: solution.py
# verdict: RTE
# group: small
# en: The longest window may stand anywhere in the batch.
# zh: 最长的窗口可能在批里任何位置。
@@
-    longest = int(lengths.max())
+    longest = len(batch[0])
