# over: good/queues.py
# verdict: WA property
# group: timeout
# en: The timeout is for one batch; a deadline for the whole pass ends a long epoch.
# zh: timeout 针对单个批次；给整遍设截止时间会打断较长的一轮。
@@
         self.timeout, self.total, self.given, self.sent = loader.timeout, len(batches), 0, 0
+        self.begun = time.monotonic()
@@
-        begun = time.monotonic()
@@
-                left = min(left, begun + self.timeout - time.monotonic())
+                left = min(left, self.begun + self.timeout - time.monotonic())
