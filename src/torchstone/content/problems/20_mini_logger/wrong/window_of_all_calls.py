# over: solution.py
# verdict: WA value
# group: small
# en: Calls without the metric push its values out of the window; only calls that had it count.
# zh: 没有该指标的调用也把它的值挤出了窗口；只应数含有该指标的调用。
@@
         self.timers: dict[str, float] = {}
+        self.places: dict[str, list[int]] = {}
+        self.total = 0
@@
             self.fresh.setdefault(name, []).append((n, value))
+            self.places.setdefault(name, []).append(self.total)
+        self.total += 1
@@
-        finite = [(n, value) for n, value in window if math.isfinite(value)]
+        places = self.places[name][-len(window) :]
+        late = zip(places, window, strict=True)
+        finite = [pair for at, pair in late if at >= self.total - self.window]
+        finite = [(n, value) for n, value in finite if math.isfinite(value)]
