# over: solution.py
# verdict: SLOW | TLE
# group: large
# en: Each record goes through all values since the start, so a long run logs ever more slowly.
# zh: 每条记录都遍历从头以来的全部数值，训练越久日志越慢。
@@
-from collections import deque
@@
-        self.windows: dict[str, deque] = {}
+        self.windows: dict[str, list] = {}
@@
-        window = self.windows.setdefault(name, deque(maxlen=self.window))
+        window = self.windows.setdefault(name, [])
@@
         finite = [(n, value) for n, value in window if math.isfinite(value)]
+        finite = (
+            finite[-self.window :]
+            if len(finite) == len(window)
+            else [(n, value) for n, value in window[-self.window :] if math.isfinite(value)]
+        )
