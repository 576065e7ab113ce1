# over: solution.py
# verdict: WA property
# group: small
# en: Shard first, shuffle after: otherwise the shards are cut from different permutations.
# zh: 先分片，再打乱；否则各分片取自不同的排列，会重复也会遗漏。
@@
-        own = islice(self.source(), shard, None, num_shards)
         if self.shuffle_buffer <= 1:
-            return own
+            return islice(self.source(), shard, None, num_shards)
@@
-        return shuffled(own, self.shuffle_buffer, random.Random(key))
+        whole = shuffled(iter(self.source()), self.shuffle_buffer, random.Random(key))
+        return islice(whole, shard, None, num_shards)
