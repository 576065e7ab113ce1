# over: solution.py
# verdict: WA property
# group: small
# en: A kept item misses the transform of the second visit: every epoch would see the same augmentation.
# zh: 缓存的项不会再次变换：每一轮看到的增强都一样。
@@
         self.transform = transform
+        self.kept = {}
@@
         window = self.series[start : start + self.length]
-        return window if self.transform is None else self.transform(window)
+        if self.transform is None:
+            return window
+        if start not in self.kept:
+            self.kept[start] = self.transform(window)
+        return self.kept[start]
