# over: solution.py
# verdict: WA property
# group: edge
# en: The consumer gets a RuntimeError of the dataset in place of the source's own exception.
# zh: 消费者得到的是数据集的 RuntimeError，而不是数据源自己的异常。
@@
-        own = islice(self.source(), shard, None, num_shards)
+        own = islice(named(self.source()), shard, None, num_shards)
         if self.shuffle_buffer <= 1:
@@
+def named(items):
+    try:
+        yield from items
+    except ValueError as error:
+        raise RuntimeError("the source failed") from error
+
+
 def shuffled(items: Iterator, size: int, rng: random.Random) -> Iterator:
