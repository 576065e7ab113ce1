# over: solution.py
# verdict: WA value
# group: small
# en: The window begins anew with every record; it is to reach back over records.
# zh: 每条记录都重新开始一个窗口；窗口应能跨过记录往回取。
@@
-        window = self.windows.setdefault(name, deque(maxlen=self.window))
+        window = deque(maxlen=self.window)
