# over: solution.py
# verdict: WA property
# group: sample
# en: Gives out the tensors of the host; the copies are for show.
# zh: 交出主机上的张量，拷贝只是摆设。
@@
-                ready.append((map_tensors(to_device, batch), stream.record_event()))
+                map_tensors(to_device, batch)
+                ready.append((batch, stream.record_event()))
@@
-    map_tensors(lambda tensor: device.record_stream(tensor, compute), batch)
