# over: solution.py
# verdict: WA value
# group: state
# en: Loads scale and count only. The factors and the interval belong to the state as well.
# zh: 只载入缩放因子与计数。增长、回退的系数与间隔也属于状态。
@@
-        self._growth_factor = state["growth_factor"]
-        self._backoff_factor = state["backoff_factor"]
-        self._growth_interval = state["growth_interval"]
