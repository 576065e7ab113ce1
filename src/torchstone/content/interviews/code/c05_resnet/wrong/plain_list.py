# over: solution.py
# verdict: WA property
# group: sample
# en: A plain list hides its modules: no parameters, no state, no train and eval.
# zh: 普通列表会把模块藏起来：没有参数、没有状态，train 和 eval 也到不了。
@@
-        self.blocks = nn.Sequential(*blocks)
+        self.blocks = blocks
@@
-        features = self.blocks(self.stem(x))
+        features = self.stem(x)
+        for block in self.blocks:
+            features = block(features)
