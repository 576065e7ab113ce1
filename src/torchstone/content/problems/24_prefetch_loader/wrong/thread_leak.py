# over: good/host_waits_in_thread.py
# verdict: WA property
# group: leak
# en: A put without timeout never notices that the consumer has left.
# zh: 没有超时的 put 不会发现消费者已离开。
@@
-    while not left.is_set():
-        try:
-            ready.put(message, timeout=0.05)
-            return True
-        except queue.Full:
-            pass
-    return False
+    ready.put(message)
+    return not left.is_set()
