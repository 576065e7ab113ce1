# over: solution.py
# verdict: WA property
# group: small
# en: A transform may be random or slow: one call for each item.
# zh: 变换可能是随机的，也可能很慢：每项只调用一次。
@@
-        return number, window if self.transform is None else self.transform(window)
+        if self.transform is not None and len(self.transform(window)) > 0:
+            window = self.transform(window)
+        return number, window
