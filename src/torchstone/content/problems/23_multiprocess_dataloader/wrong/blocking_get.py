# over: good/queues.py
# verdict: WA property
# group: crash
# en: A killed worker never answers: poll its sentinel.
# zh: 被杀死的 worker 永远不会回答；要检查它的 sentinel。
@@
-            left = LOOK_S
+            left = None
             if self.timeout:
-                left = min(left, begun + self.timeout - time.monotonic())
+                left = begun + self.timeout - time.monotonic()
