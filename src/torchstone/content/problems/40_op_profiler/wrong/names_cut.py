# over: solution.py
# verdict: WA property
# group: sample
# en: The table cuts long names.
# zh: 表格截断了较长的层名。
@@
-            f"{row.name or '(model)':30} {row.type:20} {row.calls:6} "
+            f"{row.name[:12] or '(model)':30} {row.type:20} {row.calls:6} "
