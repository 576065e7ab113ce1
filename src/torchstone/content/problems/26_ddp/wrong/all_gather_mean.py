# over: solution.py
# verdict: WA property
# group: bytes
# en: all_gather moves N(N-1)S in all, N/2 times what a ring all-reduce moves.
# zh: all_gather 总共传 N(N-1)S 字节，是环形 all-reduce 的 N/2 倍。
@@
-            work = dist.all_reduce(flat, group=self.group, async_op=True)
-            self.launched.append((flat, work))
+            parts = [torch.empty_like(flat) for _ in range(self.group.size())]
+            work = dist.all_gather(parts, flat, group=self.group, async_op=True)
+            self.launched.append((parts, work))
@@
-        for bucket, (flat, work) in zip(self.buckets, self.launched, strict=False):
+        for bucket, (gathered, work) in zip(self.buckets, self.launched, strict=False):
@@
-            flat /= self.group.size()
+            flat = torch.stack(gathered).mean(0)
