# over: solution.py
# verdict: WA property
# group: sample
# en: Operators inside operators are counted: addmm beside linear. Count the outermost ones.
# zh: 算子内部的算子也计入了，例如 linear 之外还有 addmm。只计最外层算子。
@@
-                if owner and around[-1][1] and name.startswith("aten::"):
+                if owner and name.startswith("aten::"):
