# outcome: FORBIDDEN_OP | RTE
# tries: tell a name server
import socket

socket.getaddrinfo("localhost", 80)
