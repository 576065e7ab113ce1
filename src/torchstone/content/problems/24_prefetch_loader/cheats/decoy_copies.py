# over: solution.py
# verdict: WA property
# group: depth
# en: Queues copies ahead to look busy, and copies again on demand what it gives out.
# zh: 提前入队一些拷贝装样子，交出的数据却是临时再拷的。
@@
-                ready.append((map_tensors(to_device, batch), stream.record_event()))
+                ready.append((map_tensors(to_device, batch), batch))
@@
-        yield handed_over(*ready.popleft(), device)
+        _, batch = ready.popleft()
+        yield handed_over(map_tensors(to_device, batch), stream.record_event(), device)
