# over: solution.py
# verdict: WA value
# group: scale
# en: A sum that adds what enters and subtracts what leaves keeps the roundings of values that
#   left.
# zh: 加进新值、减去旧值的累加和会永远留下大数离开时的舍入误差。
@@
         self.timers: dict[str, float] = {}
+        self.sums: dict[str, float] = {}
@@
-        window.extend((n, value) for (n, _), value in zip(new, values, strict=True))
+        for (n, _), value in zip(new, values, strict=True):
+            if len(window) == self.window and math.isfinite(window[0][1]):
+                self.sums[name] -= window[0][0] * window[0][1]
+            window.append((n, value))
+            if math.isfinite(value):
+                self.sums[name] = self.sums.get(name, 0.0) + n * value
@@
-            "mean": math.fsum(n * value for n, value in finite) / weight if weight else None,
+            "mean": self.sums[name] / weight if weight else None,
