# over: solution.py
# verdict: WA value
# group: scale
# en: An overflow does not start the count of good steps anew, so the scale grows too early.
# zh: 溢出后没有重新计数，缩放因子增长得过早。
@@
-            self._growth_tracker = 0
