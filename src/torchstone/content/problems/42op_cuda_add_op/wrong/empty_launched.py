# over: solution.py
# verdict: WA grad
# group: edge
# en: An empty sum is 0, and somebody has to write it; a kernel that is not launched does not.
# zh: 空和为 0，也要有人写出；没有启动的核函数什么都不会写。
@@
-    else:
-        out.zero_()
