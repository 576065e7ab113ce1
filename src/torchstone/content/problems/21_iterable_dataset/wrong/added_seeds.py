# over: solution.py
# verdict: WA property
# group: order
# en: A sum repeats itself: epoch e + 1 of shard s plays the order of epoch e of shard s + 1.
# zh: 相加会撞车：第 e + 1 轮分片 s 的次序就是第 e 轮分片 s + 1 的次序。
@@
-        key = f"{self.seed} {self.epoch.item()} {shard} {num_shards}"
+        key = self.seed + self.epoch.item() + shard
