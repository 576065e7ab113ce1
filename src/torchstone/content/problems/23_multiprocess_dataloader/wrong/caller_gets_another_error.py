# over: solution.py
# verdict: WA property
# group: error
# en: Without workers an OSError of the dataset was wrapped; it must be the object that was raised.
# zh: 没有 worker 时，数据集的 OSError 被包装了；应是抛出的那个对象。
@@
-        return self.in_workers(plan, key) if self.num_workers else map(self.load, plan)
+        return self.in_workers(plan, key) if self.num_workers else map(self.load_here, plan)
@@
+    def load_here(self, indices: list[int]):
+        try:
+            return self.load(indices)
+        except OSError as error:
+            raise RuntimeError(f"loading failed: {error}") from error
+
     def load(self, indices: list[int]):
