# over: solution.py
# verdict: WA property
# group: sample
# en: Layers that are never called have no row.
# zh: 从未被调用的层没有对应的行。
@@
             around.append((end, row))
-        return rows
+        return [row for row in rows if row.calls]
