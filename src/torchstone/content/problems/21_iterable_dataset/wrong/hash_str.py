# over: solution.py
# verdict: WA property
# group: order
# en: The hash of a text is salted in every process.
# zh: 字符串的 hash 在每个进程里加盐不同。
@@
-        key = f"{self.seed} {self.epoch.item()} {shard} {num_shards}"
+        key = hash(("order", self.seed, self.epoch.item(), shard, num_shards))
