# over: solution.py
# verdict: WA value
# group: sample
# en: `time.time` is a wall clock, which jumps; use a monotonic one, and here the one that was
#   given.
# zh: time.time 是墙钟，会跳变；应使用单调时钟，这里就是传入的那个。
@@
-        self.clock, self.gpu = clock, gpu
-        self.begin = self.mark = clock()
+        self.clock, self.gpu = time.time, gpu
+        self.begin = self.mark = time.time()
