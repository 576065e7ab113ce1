# over: solution.py
# verdict: RTE
# group: sample
# en: A lambda cannot be pickled, so the dataset never reaches a worker.
# zh: lambda 不能 pickle，数据集就到不了工作进程。
@@
-        self.transform = transform
+        self.transform = transform if transform is not None else lambda window: window
