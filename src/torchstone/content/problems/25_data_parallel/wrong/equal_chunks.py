# over: solution.py
# verdict: WA property
# group: value
# en: 7 over 3 is 3, 3, 1: chunk keeps every sample.
# zh: 7 分 3 份是 3、3、1；chunk 不丢样本。
@@
-        # chunk gives empty tensors to all devices when there is nothing to split.
-        shards = item.chunk(len(devices), dim) if item.shape[dim] else (item,)
-        return [device.put(shard) for device, shard in zip(devices, shards, strict=False)]
+        size = item.shape[dim] // len(devices)
+        if size == 0:
+            size, devices = 1, devices[: max(1, item.shape[dim])]
+        length = min(size, item.shape[dim])
+        starts = [number * size for number in range(len(devices))]
+        return [d.put(item.narrow(dim, at, length)) for d, at in zip(devices, starts, strict=False)]
