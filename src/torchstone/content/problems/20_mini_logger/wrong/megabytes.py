# over: solution.py
# verdict: WA value
# group: gpu
# en: A MiB is 2²⁰ bytes; 10⁶ bytes are a megabyte.
# zh: 1 MiB 是 2²⁰ 字节；10⁶ 字节是兆字节（MB）。
@@
-MIB = 2**20
+MIB = 10**6
