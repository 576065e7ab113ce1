# over: solution.py
# verdict: WA value
# group: small
# en: Times since the start count the set-up for ever; the rate of now begins at the last record.
# zh: 从头算起会一直带着启动开销；当前速度应从上一条记录算起。
@@
-        since = now - self.mark
+        since = now - self.begin
