# over: solution.py
# verdict: WA value
# group: sample
# en: The cubic kernel of PyTorch and OpenCV has a = -0.75, not -0.5.
# zh: PyTorch 和 OpenCV 的三次核取 a = −0.75，而不是 −0.5。
@@
-CUBIC = -0.75
+CUBIC = -0.5
