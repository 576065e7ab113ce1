# over: solution.py
# verdict: WA property
# en: Worker 0 gives everything that belongs to the rank.
# zh: worker 0 给出这个 rank 的全部样本。
@@
+        shard, num_shards = self.rank, self.world_size
         own = islice(self.source(), shard, None, num_shards)
+        own = own if worker == 0 else iter(())
