# over: solution.py
# verdict: WA property
# group: sample
# en: DDP arms its reducer in forward; calling the inner module skips synchronisation.
# zh: DDP 在 forward 中准备好 reducer；绕过它直接调用内层模块，梯度就不会同步。
@@
-            loss = nn.functional.cross_entropy(ddp(x), y)
+            loss = nn.functional.cross_entropy(ddp.module(x), y)
