# over: solution.py
# verdict: WA value
# group: sample
# en: A ReLU after the sum stands on the path that pre-activation keeps free.
# zh: 求和之后的 ReLU 挡在了预激活要保持畅通的路上。
@@
-        return y + (x if self.shortcut is None else self.shortcut(active))
+        return (y + (x if self.shortcut is None else self.shortcut(active))).relu()
