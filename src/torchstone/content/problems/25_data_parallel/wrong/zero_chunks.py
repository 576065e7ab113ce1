# over: solution.py
# verdict: WA property
# group: value
# en: chunk gives as many empty parts as there are devices: a batch of size 0 still uses one
#   device.
# zh: chunk 会切出与设备数相同的空分片；大小为 0 的批次也只用一台设备。
@@
-        # chunk gives empty tensors to all devices when there is nothing to split.
-        shards = item.chunk(len(devices), dim) if item.shape[dim] else (item,)
+        shards = item.chunk(len(devices), dim)
