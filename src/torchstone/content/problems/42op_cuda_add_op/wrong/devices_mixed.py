# over: solution.py
# verdict: WA property
# group: errors
# en: Of two devices the dispatcher chooses one; nobody but you refuses the other.
# zh: 遇到两个设备，分发器会选其中一个；除了你自己，没有谁会拒绝另一个。
@@
-    if a.device != b.device:
-        raise RuntimeError(f"add: one device is wanted, got {a.device} and {b.device}")
