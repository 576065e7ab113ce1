# over: solution.py
# verdict: WA property
# group: edge
# en: Without a seed the order is that of seed 0: a default drawn by chance cannot be repeated.
# zh: 不给 seed 时就是 seed 为 0 的次序：随机抽一个默认值，次序就无法重现。
@@
-        seed: int = 0,
+        seed: int | None = None,
@@
         self.shuffle_buffer, self.seed = shuffle_buffer, seed
+        if seed is None:
+            self.seed = random.SystemRandom().randrange(2**31)
