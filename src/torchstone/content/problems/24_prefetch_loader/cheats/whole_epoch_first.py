# over: solution.py
# verdict: WA property
# group: depth
# en: Copies the whole epoch to the device before the first batch.
# zh: 第一批之前就把整个 epoch 拷到设备。
@@
     ready, error, is_over = deque(), None, False
+    depth = 10**6
