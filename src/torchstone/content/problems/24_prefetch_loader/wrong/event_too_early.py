# over: solution.py
# verdict: WA property
# group: hazard
# en: An event covers what was queued before it.
# zh: 事件只覆盖它之前入队的操作。
@@
-                # The event covers what the stream holds now: all copies of this batch.
-                ready.append((map_tensors(to_device, batch), stream.record_event()))
+                copied = stream.record_event()
+                ready.append((map_tensors(to_device, batch), copied))
