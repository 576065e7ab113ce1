# over: solution.py
# verdict: WA value
# group: small
# en: A moving average that starts at zero is biased at first, and weights the calls differently.
# zh: 从 0 起步的滑动平均开头有偏，各次的权重也不对。
@@
         self.timers: dict[str, float] = {}
+        self.averages: dict[str, float] = {}
@@
         window.extend((n, value) for (n, _), value in zip(new, values, strict=True))
+        for value in filter(math.isfinite, values):
+            self.averages[name] = 0.9 * self.averages.get(name, 0.0) + 0.1 * value
@@
-            "mean": math.fsum(n * value for n, value in finite) / weight if weight else None,
+            "mean": self.averages.get(name) if weight else None,
