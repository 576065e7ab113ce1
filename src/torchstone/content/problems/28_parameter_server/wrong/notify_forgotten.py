# over: solution.py
# verdict: WA property
# group: leave
# en: Whoever changes the condition must wake the waiters, and leaving changes it.
# zh: 谁改变了条件，谁就要唤醒等待者；离开也会改变条件。
@@
             self._apply_rounds()
-            self._changed.notify_all()
