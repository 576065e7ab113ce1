# over: solution.py
# verdict: WA value
# group: scale
# en: Once the interval is reached, every good step grows: the count is not set back.
# zh: 达到间隔之后每个正常步都增长：计数没有清零。
@@
-            if self._growth_tracker == self._growth_interval:
+            if self._growth_tracker >= self._growth_interval:
@@
-                self._growth_tracker = 0
