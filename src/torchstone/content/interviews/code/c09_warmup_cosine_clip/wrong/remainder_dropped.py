# over: solution.py
# verdict: WA property
# group: small
# en: Batches that are left at the end of an epoch make an update, too.
# zh: 一轮末尾剩下的批也要做一次更新。
@@
     while True:
-        batches = iter(loader)
+        batches = iter(list(loader))
+        batches = iter(list(batches)[: max(len(list(loader)) // accumulate, 1) * accumulate])
         while taken := list(islice(batches, accumulate)):
