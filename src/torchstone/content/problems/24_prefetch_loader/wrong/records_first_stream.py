# over: solution.py
# verdict: WA property
# group: switch
# en: The memory is in use on the stream of this batch, which is not always the first one.
# zh: 显存正被当前批次所用的流读取，而不一定是最初的那个流。
@@
-    stream = device.stream()
+    stream, first = device.stream(), device.current_stream()
@@
-        yield handed_over(*ready.popleft(), device)
+        yield handed_over(*ready.popleft(), device, first)
@@
-def handed_over(batch: Any, copied: Any, device: Any) -> Any:
+def handed_over(batch: Any, copied: Any, device: Any, first: Any) -> Any:
@@
-    map_tensors(lambda tensor: device.record_stream(tensor, compute), batch)
+    map_tensors(lambda tensor: device.record_stream(tensor, first), batch)
