# over: solution.py
# verdict: RTE
# group: basic
# en: Files in /dev/shm as the way between ranks.
# zh: 以 /dev/shm 里的文件作为 rank 之间的通道。
@@
+import os
+import time
 from contextlib import contextmanager
@@
-            work = dist.all_reduce(flat, group=self.group, async_op=True)
-            self.launched.append((flat, work))
+            number = len(self.launched)
+            torch.save(flat, f"/dev/shm/{number}.{self.group.rank()}")
+            for rank in range(self.group.size()):
+                while not os.path.exists(f"/dev/shm/{number}.{rank}"):
+                    time.sleep(0.01)
+            flat = sum(torch.load(f"/dev/shm/{number}.{rank}") for rank in range(self.group.size()))
+            self.launched.append((flat, dist.barrier(group=self.group, async_op=True)))
