# over: solution.py
# verdict: WA property
# group: order
# en: An epoch is an integer: float32 rounds it from 2^24 on, and then two epochs have one order.
# zh: 轮次是整数：float32 从 2^24 起会舍入，两个轮次就同序了。
@@
-        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()
+        self.epoch = torch.zeros(()).share_memory_()
