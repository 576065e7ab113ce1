# over: solution.py
# verdict: WA property
# group: surgery
# en: A second list beside the registry is not told when others exchange a layer by setattr. Keep
#   one truth.
# zh: 在注册表之外另存一份 list，别人用 setattr 换层时它并不知道。只能有一份依据。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
+        self.__dict__["items"] = []
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
         self._modules = {str(position): item for position, item in enumerate(items)}
+        self.__dict__["items"] = items
@@
-        return len(self._modules)
+        return len(self.__dict__["items"])
@@
-        return iter(self._modules.values())
+        return iter(self.__dict__["items"])
