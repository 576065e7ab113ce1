# over: solution.py
# verdict: WA property | MLE | RTE
# group: bound
# en: A stream may never end; hold no more than the buffer.
# zh: 数据流可能没有尽头；只应保留缓冲区内的样本。
@@
-        own = islice(self.source(), shard, None, num_shards)
+        own = islice(list(self.source()), shard, None, num_shards)
