# over: solution.py
# verdict: WA property
# group: sample
# en: A slice past the end is empty; only an IndexError ends a for loop over __getitem__.
# zh: 越界的切片是空的；对 `__getitem__` 的 for 循环要靠 IndexError 结束。
@@
-        # A slice past the end is empty, not an error, and `for` would never stop.
-        if not -count <= index < count:
-            raise IndexError(f"WindowDataset: index {index} is out of range for {count} windows.")
-        start = index % count * self.stride
+        start = (index + count if index < 0 else index) * self.stride
