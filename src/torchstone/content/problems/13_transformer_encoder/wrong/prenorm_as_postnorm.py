# over: solution.py
# verdict: WA value
# group: small
# en: norm_first is ignored: pre-norm normalises what enters a branch, and leaves the residual
#   path alone.
# zh: 忽略了 norm_first：pre-norm 只归一化进入分支的输入，不碰残差通路。
@@
-        if self.norm_first:
-            x = x + self.attend(self.norm1(x), mask)
-            return x + self.feed_forward(self.norm2(x))
