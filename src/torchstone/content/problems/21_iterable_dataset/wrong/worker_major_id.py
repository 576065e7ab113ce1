# over: solution.py
# verdict: WA property
# group: small
# en: This is a partition as well, but another: s = rank*W + w keeps the shards of a rank together.
# zh: 这也是划分，但不是规定的那个：s = rank*W + w 让同一 rank 的分片相邻。
@@
-        shard = self.rank * num_workers + worker
+        shard = worker * self.world_size + self.rank
