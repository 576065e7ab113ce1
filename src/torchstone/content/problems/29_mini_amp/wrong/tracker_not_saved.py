# over: solution.py
# verdict: WA value
# group: state
# en: Does not restore the count of good steps: a resumed run grows at another step.
# zh: 没有恢复正常步的计数：续训后增长的时刻就变了。
@@
-        self._growth_tracker = state["_growth_tracker"]
+        self._growth_tracker = 0
