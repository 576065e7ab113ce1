# over: solution.py
# verdict: WA property
# group: order
# en: A module without a parameter to train is refused: there is nothing to average.
# zh: 没有可训练参数的模块应当拒绝：没有东西可以平均。
@@
-        if not trained:
-            raise RuntimeError("MiniDDP: no parameter of the module requires a gradient.")
