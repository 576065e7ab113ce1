# over: solution.py
# verdict: WA value
# group: small
# en: A metric that was not logged since the last record has no place in the next one.
# zh: 上一条记录以来没有记过的指标，不应出现在下一条里。
@@
-        self.fresh, self.timers = {}, {}
+        self.fresh, self.timers = {name: new[-1:] for name, new in self.fresh.items()}, {}
