# over: solution.py
# verdict: WA property
# group: grad
# en: The stem lies before the first stage: it is frozen with it.
# zh: 输入部分在第一个阶段之前，要一起冻结。
@@
-        self.frozen = [self.stem, *self.stages[:stages]]
+        self.frozen = list(self.stages[:stages])
