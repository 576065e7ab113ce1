# over: solution.py
# verdict: WA property
# group: sample
# en: islice(it, s, None, S) starts at s; every shard from 0 gives the items of the first.
# zh: islice(it, s, None, S) 从 s 开始；都从 0 开始就都是第一片的样本。
@@
-        own = islice(self.source(), shard, None, num_shards)
+        own = islice(self.source(), 0, None, num_shards)
