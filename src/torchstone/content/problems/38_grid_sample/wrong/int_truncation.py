# over: solution.py
# verdict: WA value
# group: sample
# en: .long() rounds toward zero: -0.3 is in the cell from -1 to 0.
# zh: .long() 向零取整：−0.3 在 −1 到 0 的格子里。
@@
-    low = x.floor().detach()
+    low = x.detach().long().to(x.dtype)
