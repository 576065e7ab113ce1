# over: solution.py
# verdict: WA property
# group: value
# en: A batch of one uses one device.
# zh: 只有一个样本就只用一台设备。
@@
-        # chunk gives empty tensors to all devices when there is nothing to split.
-        shards = item.chunk(len(devices), dim) if item.shape[dim] else (item,)
+        shards = list(item.chunk(len(devices), dim))
+        shards += [item.narrow(dim, 0, 0)] * (len(devices) - len(shards))
