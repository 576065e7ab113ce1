# over: solution.py
# verdict: WA property
# group: bytes
# en: gloo's own reduce_scatter is an all-reduce inside: with the all_gather behind it 1.5 times
#   the bytes.
# zh: gloo 自带的 reduce_scatter 内部就是 all-reduce，再加 all_gather，字节数成了 1.5 倍。
@@
-            work = dist.all_reduce(flat, group=self.group, async_op=True)
-            self.launched.append((flat, work))
+            padded = torch.cat([flat, flat.new_zeros(-flat.numel() % self.group.size())])
+            shares = list(padded.chunk(self.group.size()))
+            mine = torch.empty_like(shares[0])
+            work = dist.reduce_scatter(mine, shares, group=self.group, async_op=True)
+            self.launched.append((padded, (mine, work)))
@@
         for bucket, (flat, work) in zip(self.buckets, self.launched, strict=False):
+            mine, work = work
@@
-            flat /= self.group.size()
+            dist.all_gather(list(flat.chunk(self.group.size())), mine, group=self.group)
+            flat = flat[: sum(parameter.numel() for parameter in bucket)] / self.group.size()
