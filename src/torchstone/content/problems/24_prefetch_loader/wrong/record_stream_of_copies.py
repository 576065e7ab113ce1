# over: solution.py
# verdict: WA property
# group: hazard
# en: The stream that is named must be the one that still reads, not the one that copied.
# zh: record_stream 要写仍在读取的流，而不是负责拷贝的流。
@@
-        yield handed_over(*ready.popleft(), device)
+        yield handed_over(*ready.popleft(), device, stream)
@@
-def handed_over(batch: Any, copied: Any, device: Any) -> Any:
+def handed_over(batch: Any, copied: Any, device: Any, stream: Any) -> Any:
@@
-    map_tensors(lambda tensor: device.record_stream(tensor, compute), batch)
+    map_tensors(lambda tensor: device.record_stream(tensor, stream), batch)
