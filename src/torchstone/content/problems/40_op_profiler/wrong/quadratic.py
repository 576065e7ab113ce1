# over: solution.py
# verdict: WA property
# group: perf
# en: For each event all layers' ranges are searched for those around it: the time grows with the square.
# zh: 对每个事件都遍历所有层的区间来找外层：耗时按平方增长。
@@
-        for start, end, name, number in self._events():
+        events = self._events()
+        for start, end, name, number in events:
             while around and around[-1][0] <= start:
@@
-                owner = next((each for _, each in reversed(around) if each), None)
+                inside = [
+                    other
+                    for other in events
+                    if other[0] <= start and end <= other[1] and other[2].startswith(LAYER)
+                ]
+                owner = rows[int(inside[-1][2].removeprefix(LAYER))] if inside else None
                 if number >= 0:
