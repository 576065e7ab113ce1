# over: solution.py
# verdict: WA property
# group: sample
# en: Where nothing changes the shortcut is the input itself: that is what lets gradients through.
# zh: 什么都不变时，捷径就是输入本身，梯度正是靠它直通。
@@
-        if stride != 1 or in_channels != channels:
+        if channels:
