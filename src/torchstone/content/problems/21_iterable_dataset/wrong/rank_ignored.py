# over: solution.py
# verdict: WA property
# group: small
# en: Workers are numbered within a rank; without the rank in the shard, two ranks read the same
#   data.
# zh: worker 编号只在本 rank 内有效；分片号里没有 rank，两个 rank 就读同样的数据。
@@
-        shard = self.rank * num_workers + worker
-        num_shards = self.world_size * num_workers
+        shard = worker
+        num_shards = num_workers
