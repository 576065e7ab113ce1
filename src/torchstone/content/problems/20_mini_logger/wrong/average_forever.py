# over: solution.py
# verdict: WA value
# group: small
# en: A mean since the start hides that training diverges; only the last `window` calls count.
# zh: 从头算起的均值会掩盖发散；只应取最近 window 次。
@@
-        window = self.windows.setdefault(name, deque(maxlen=self.window))
+        window = self.windows.setdefault(name, deque())
