# over: solution.py
# verdict: WA property | WA value
# group: none
# en: Without its count a resumed optimiser corrects the moments as if they were new.
# zh: 不保存步数，恢复后就会把旧的矩当作新的来校正。
@@
-            "state": {numbers[key]: entry for key, entry in self.state.items()},
+            "state": {numbers[key]: entry | {"step": 0} for key, entry in self.state.items()},
