# over: solution.py
# verdict: WA property
# group: small
# en: A transform at construction runs for items that nobody asks for, and keeps random ones fixed.
# zh: 构造时就做变换，会为没人要的项白算，随机变换也从此固定。
@@
         self.transform = transform
+        starts = range(0, len(series), stride)
+        windows = [series[start : start + length] for start in starts]
+        if transform is not None:
+            self.items = [transform(window) for window in windows]
@@
         window = self.series[start : start + self.length]
-        return window if self.transform is None else self.transform(window)
+        return window if self.transform is None else self.items[index]
