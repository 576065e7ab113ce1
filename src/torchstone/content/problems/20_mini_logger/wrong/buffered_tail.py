# over: solution.py
# verdict: WA property
# group: sample
# en: Without a flush the last lines are in a buffer when the process is killed: the lines that
#   you need most.
# zh: 不 flush，进程被杀时最后几行还在缓冲区里，而那正是最需要的几行。
@@
-        stream.flush()
