# over: solution.py
# verdict: WA value
# group: timer
# en: The times are totals since the start instead of since the last record.
# zh: 计时从头累计，而不是从上一条记录起算。
@@
-        self.fresh, self.timers = {}, {}
+        self.fresh = {}
