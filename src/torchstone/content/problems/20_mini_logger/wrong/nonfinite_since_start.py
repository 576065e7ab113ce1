# over: solution.py
# verdict: WA value
# group: nonfinite
# en: `nonfinite` counts from the last record, not from the start.
# zh: nonfinite 从上一条记录数起，而不是从头数起。
@@
         self.timers: dict[str, float] = {}
+        self.odd: dict[str, int] = {}
@@
         window.extend((n, value) for (n, _), value in zip(new, values, strict=True))
+        odd = sum(not math.isfinite(value) for value in values)
+        self.odd[name] = self.odd.get(name, 0) + odd
@@
-            "nonfinite": sum(not math.isfinite(value) for value in values),
+            "nonfinite": self.odd[name],
