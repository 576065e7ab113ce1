# over: solution.py
# verdict: WA property
# group: order
# en: Without the epoch in the key, every epoch plays the same order.
# zh: 键里没有轮次，每一轮的次序都相同。
@@
-        key = f"{self.seed} {self.epoch.item()} {shard} {num_shards}"
+        key = f"{self.seed} {shard} {num_shards}"
