# outcome: RTE
# problem: 06
# tries: crash
import faulthandler

faulthandler._sigsegv()
raise RuntimeError("it survived")
