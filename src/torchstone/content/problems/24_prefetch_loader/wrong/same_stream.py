# over: solution.py
# verdict: WA property
# group: depth
# en: One stream is one queue: nothing overlaps.
# zh: 同一个流就是一条队列，什么都不会重叠。
@@
-    stream = device.stream()
+    stream = device.current_stream()
