# over: solution.py
# verdict: WA dtype
# group: nested
# en: `isinstance(True, int)` holds: ask for bool first.
# zh: isinstance(True, int) 为真：要先判断 bool。
@@
-NUMBERS = {bool: torch.bool, int: torch.int64, float: torch.float64}
+NUMBERS = {bool: torch.int64, int: torch.int64, float: torch.float64}
