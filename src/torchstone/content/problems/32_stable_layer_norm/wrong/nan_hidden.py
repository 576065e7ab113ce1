# over: solution.py
# verdict: WA value
# group: edge
# en: A NaN or an infinity makes its whole row NaN; to replace it hides a fault.
# zh: NaN 或无穷会让所在的整行都是 NaN；把它替换掉，就掩盖了问题。
@@
-    rows = x.flatten(-len(shape)).to(wide)
+    rows = x.flatten(-len(shape)).to(wide).nan_to_num(0.0, 0.0, 0.0)
