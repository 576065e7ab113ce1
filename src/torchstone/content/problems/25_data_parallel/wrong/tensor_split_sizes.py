# over: solution.py
# verdict: WA property
# group: value
# en: tensor_split balances differently; shards must match chunk.
# zh: tensor_split 的划分不同于 chunk。
@@
-        # chunk gives empty tensors to all devices when there is nothing to split.
-        shards = item.chunk(len(devices), dim) if item.shape[dim] else (item,)
+        count = max(1, min(len(devices), item.shape[dim]))
+        shards = item.tensor_split(count, dim)
