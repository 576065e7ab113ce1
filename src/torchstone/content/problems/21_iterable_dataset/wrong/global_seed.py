# over: solution.py
# verdict: WA property
# group: small
# en: A dataset that seeds the global generator changes the user's augmentation.
# zh: 数据集重设全局随机种子，会改变使用者的数据增强。
@@
-        return shuffled(own, self.shuffle_buffer, random.Random(key))
+        random.seed(key)
+        return shuffled(own, self.shuffle_buffer, random)
