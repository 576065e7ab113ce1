# over: good/functional_call.py
# verdict: WA property
# group: tied
# en: A module that is listed twice is one module in the replica, too.
# zh: 注册了两次的模块，在副本里仍是同一个模块。
@@
-    if module in memo:
-        return memo[module]
