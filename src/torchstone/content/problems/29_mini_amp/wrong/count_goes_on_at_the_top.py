# over: solution.py
# verdict: WA property
# group: protocol
# en: Where the scale cannot grow, the count of good steps was not cleared.
# zh: 缩放因子无法再增长时，没有把连续成功的步数清零。
@@
                 grown = self._scale * self._growth_factor
-                self._scale = grown if torch.isfinite(grown) else self._scale
-                self._growth_tracker = 0
+                if torch.isfinite(grown):
+                    self._scale = grown
+                    self._growth_tracker = 0
