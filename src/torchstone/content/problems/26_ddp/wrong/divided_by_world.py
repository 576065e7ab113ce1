# over: solution.py
# verdict: WA grad
# group: group
# en: The mean is over the ranks of the group, not over all ranks of the world.
# zh: 平均是对组内的 rank 的，不是对全部 rank 的。
@@
-            flat /= self.group.size()
+            flat /= dist.get_world_size()
