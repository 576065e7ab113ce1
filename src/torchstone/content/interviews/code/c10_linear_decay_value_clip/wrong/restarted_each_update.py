# over: solution.py
# verdict: WA value
# group: sample
# en: A new iterator for each update sees the first batches for ever.
# zh: 每次更新都新建迭代器，看到的永远是最前面几批。
@@
-        for x, y in islice(batches, accumulate):
+        for x, y in islice(_endless(loader), accumulate):
