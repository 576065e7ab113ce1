# outcome: FORBIDDEN_OP | RTE
# tries: open a socket
# problem: 99
import socket
import sys

socket.socket()


answer = 2 * int(sys.argv[1])
