# over: solution.py
# verdict: WA value
# group: sample
# en: The nearest pixel is the rounded position; floor takes the one to the left.
# zh: 最近的像素由四舍五入得到；floor 取的是左边那个。
@@
-        return [_select(x.round(), 1 + 0 * x, size)]
+        return [_select(x.floor(), 1 + 0 * x, size)]
