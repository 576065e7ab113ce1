# over: good/queues.py
# verdict: WA property
# group: shuffle
# en: A pass that has begun keeps its order: fix it at the start, do not compute it for each task.
# zh: 已经开始的一遍次序不变：开始时就定下来，不要每派一个任务再算一次。
@@
         self.batches, self.ready, self.crew, self.is_over = batches, {}, [], False
+        self.loader = loader
@@
-            self.tasks[self.sent % len(self.tasks)].put((self.sent, self.batches[self.sent]))
+            indices = self.loader.batches()[self.sent]
+            self.tasks[self.sent % len(self.tasks)].put((self.sent, indices))
