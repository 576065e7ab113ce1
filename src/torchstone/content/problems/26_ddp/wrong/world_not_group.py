# over: solution.py
# verdict: HUNG | RTE | WA grad | WA value
# group: group
# en: Collective calls belong to the group that was given; the ranks outside never make them.
# zh: 集合通信属于传入的进程组，组外的 rank 不会参与。
@@
-        self.group = dist.group.WORLD if process_group is None else process_group
-        self.source = dist.get_global_rank(self.group, 0)
+        self.group = dist.group.WORLD
+        self.source = 0
