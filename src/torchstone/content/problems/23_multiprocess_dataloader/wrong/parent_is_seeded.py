# over: solution.py
# verdict: WA property
# group: shuffle
# en: The order comes from a generator of its own; the global one of the parent belongs to the
#     training.
# zh: 打乱次序要用自己的随机数生成器；父进程的全局随机数生成器属于训练代码。
@@
-            random.Random(f"{self.seed} {self.epoch}").shuffle(order)
+            random.seed(f"{self.seed} {self.epoch}")
+            random.shuffle(order)
