# over: solution.py
# verdict: WA property
# group: seed
# en: All three generators are seeded from seed: with another one every augmentation is another.
# zh: 三个生成器都要由 seed 设定种子：换了 seed，所有增强都应不同。
@@
-    np.random.seed(seed % 2**32)
+    np.random.seed(0)
