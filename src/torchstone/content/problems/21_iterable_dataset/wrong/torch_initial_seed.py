# over: solution.py
# verdict: WA property
# group: order
# en: The base seed is drawn anew by every loader, so (seed, epoch) no longer decides the order.
# zh: 基础种子由每个加载器重新抽取，(seed, epoch) 就不再决定次序。
@@
-        key = f"{self.seed} {self.epoch.item()} {shard} {num_shards}"
+        key = f"{torch.initial_seed()} {self.seed} {self.epoch.item()} {shard}"
