# over: solution.py
# verdict: WA property
# group: shuffle
# en: The order is a function of seed and epoch; a generator that goes on gives another one
#     in every pass.
# zh: 次序是 seed 与 epoch 的函数；一直往下用的随机数生成器每一遍都给出不同的次序。
@@
         self.shuffle, self.seed, self.epoch = shuffle, seed, 0
+        self.rng = random.Random(seed)
@@
-            random.Random(f"{self.seed} {self.epoch}").shuffle(order)
+            self.rng.shuffle(order)
