# over: solution.py
# verdict: WA property
# group: hazard
# en: The event of the batch that is handed over must be waited for, not that of the one before.
# zh: 要等待的是所交出批次的事件，而不是前一批的。
@@
-    ready, error, is_over = deque(), None, False
+    ready, error, is_over, last = deque(), None, False, None
@@
-        yield handed_over(*ready.popleft(), device)
+        batch, copied = ready.popleft()
+        passed, last = last or copied, copied
+        yield handed_over(batch, passed, device)
