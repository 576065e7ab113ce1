# over: solution.py
# verdict: WA property
# group: edge
# en: An exception skips the forward hook, and the layer is never closed: register it with always_call=True.
# zh: 异常会跳过前向钩子，该层一直没有关闭：注册时需 always_call=True。
@@
-                # An exception skips ordinary forward hooks.
-                module.register_forward_hook(self._end, always_call=True),
+                module.register_forward_hook(self._end),
             ]
