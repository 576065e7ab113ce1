# over: solution.py
# verdict: WA property
# group: sample
# en: The times are milliseconds.
# zh: 时间的单位成了毫秒。
@@
-                add_call(row, (end - start) / 1e3, [each for _, each in around if each])
+                add_call(row, (end - start) / 1e6, [each for _, each in around if each])
             elif name.startswith(NODE):
                 if owner := owners.get(number):
-                    owner.backward_us += (end - start) / 1e3
+                    owner.backward_us += (end - start) / 1e6
