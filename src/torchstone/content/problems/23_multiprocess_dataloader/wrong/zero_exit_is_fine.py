# over: good/queues.py
# verdict: WA property
# group: crash
# en: exit(0) in the middle of an epoch is a crash too.
# zh: 中途 exit(0) 同样是崩溃。
@@
-            if not process.is_alive():
+            if process.exitcode:
