# over: solution.py
# verdict: WA property
# group: cache
# en: Holds the leaves in a table that nobody clears: weights stay alive after the region.
# zh: 把叶子放进一张无人清理的表：离开区域后权重仍然存活。
@@
 CAST = (torch.float32, torch.float16, torch.bfloat16)
+
+
+LEAVES = {}
@@
     _, version, copy = local.copies.get(key, (None, None, None))
+    LEAVES[id(x)] = x
