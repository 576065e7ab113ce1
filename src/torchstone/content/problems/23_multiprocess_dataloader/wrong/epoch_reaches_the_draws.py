# over: good/shared_queue.py
# verdict: WA property
# group: random
# en: A pass that has begun keeps its random numbers, too: its key does not follow set_epoch.
# zh: 已经开始的一遍随机数也不变：它的键不随 set_epoch 而变。
@@
-        self.batches, self.timeout = batches, loader.timeout
+        self.batches, self.timeout, self.loader = batches, loader.timeout, loader
@@
-            self.tasks.put(number)
+            self.tasks.put((number, self.loader.epoch))
         for number in range(len(self.batches)):
@@
-                self.tasks.put(number + self.window)
+                self.tasks.put((number + self.window, self.loader.epoch))
@@
-        number = tasks.get()
-        seed_all(f"{key}/{number}")
+        number, epoch = tasks.get()
+        seed_all(f"{loader.seed}/{epoch}/{number}")
