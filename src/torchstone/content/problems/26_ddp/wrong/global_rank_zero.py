# over: solution.py
# verdict: RTE
# group: group
# en: The source of a broadcast is a global rank, and rank 0 of the group may have another
#   number.
# zh: broadcast 的 src 是全局编号，组内的 0 号不一定是全局 0 号。
@@
-        self.source = dist.get_global_rank(self.group, 0)
+        self.source = 0
