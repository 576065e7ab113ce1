# over: solution.py
# verdict: WA property
# group: switch
# en: The consumer may compute on another stream: ask when the batch is handed over.
# zh: 消费者可能换流；交出批次时再取 current_stream()。
@@
-    stream = device.stream()
+    stream, compute = device.stream(), device.current_stream()
@@
-        yield handed_over(*ready.popleft(), device)
+        yield handed_over(*ready.popleft(), device, compute)
@@
-def handed_over(batch: Any, copied: Any, device: Any) -> Any:
-    """Tie a batch to the stream on which the consumer computes now."""
-    compute = device.current_stream()
+def handed_over(batch: Any, copied: Any, device: Any, compute: Any) -> Any:
+    """Tie a batch to the stream of the consumer."""
