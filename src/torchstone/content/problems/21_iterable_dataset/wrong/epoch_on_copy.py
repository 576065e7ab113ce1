# over: solution.py
# verdict: WA property
# group: persistent
# en: A persistent worker keeps the copy it was given; put the epoch into shared memory.
# zh: 常驻 worker 手里是旧副本；轮次要放进共享内存。
@@
-        # Workers that stay keep a copy of this object; they share this memory.
-        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()
+        self.epoch = torch.zeros((), dtype=torch.int64)
