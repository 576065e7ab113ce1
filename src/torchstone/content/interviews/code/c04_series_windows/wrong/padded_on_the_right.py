# over: solution.py
# verdict: WA value
# group: sample
# en: The newest steps stand together at the end; the padding comes before them.
# zh: 最新的时间步在末尾对齐，填充在它们之前。
@@
-        row[longest - len(window) :] = window
+        row[: len(window)] = window
