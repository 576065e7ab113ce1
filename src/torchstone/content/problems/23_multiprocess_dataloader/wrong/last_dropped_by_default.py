# over: solution.py
# verdict: WA value
# group: value
# en: The last batch is kept where drop_last is left out, as in torch's DataLoader.
# zh: 不给 drop_last 时保留最后一批，与 torch 的 DataLoader 相同。
@@
-        drop_last: bool = False,
+        drop_last: bool = True,
