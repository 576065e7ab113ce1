# over: solution.py
# verdict: WA property
# group: protocol
# en: The scale grew to infinity; it stays where the next growth would not be finite.
# zh: 缩放因子增长到无穷；如果下一次增长不再有限，就应保持不变。
@@
                 grown = self._scale * self._growth_factor
-                self._scale = grown if torch.isfinite(grown) else self._scale
+                self._scale = grown
                 self._growth_tracker = 0
