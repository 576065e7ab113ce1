# over: solution.py
# verdict: WA value
# group: scale
# en: One bad optimizer stops the steps of all. Each has its own finding; only the scale is
#     shared.
# zh: 一个优化器是坏的，就跳过所有优化器。各自判断是否跳过，共用的只有缩放因子。
@@
-        return None if self._bad[key] else optimizer.step(*args, **kwargs)
+        return None if any(self._bad.values()) else optimizer.step(*args, **kwargs)
