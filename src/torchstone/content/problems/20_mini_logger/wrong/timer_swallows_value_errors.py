# over: solution.py
# verdict: WA property
# group: small
# en: The timer ends quietly where its body raises a ValueError.
# zh: 代码块抛出 ValueError 时，计时器悄悄地结束了。
@@
             yield
+        except ValueError:
+            pass
         finally:
