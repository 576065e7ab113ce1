# over: solution.py
# verdict: RTE | WA value
# group: edge
# en: row[-0:] is the whole row: an empty window has to be placed by its start.
# zh: `row[-0:]` 是整行；空窗口要按起点来放。
@@
-        # Not row[-len(window):], which is the whole row for an empty window.
-        row[longest - len(window) :] = window
+        row[-len(window) :] = window
