# over: solution.py
# verdict: WA value
# group: sample
# en: The head takes the mean over positions, not the largest value.
# zh: 分类头对位置取平均，不是取最大。
@@
-        return self.head(features.mean((2, 3)))
+        return self.head(features.amax((2, 3)))
