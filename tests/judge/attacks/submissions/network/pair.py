# outcome: FORBIDDEN_OP | RTE
# tries: make a pair of sockets
import _socket

_socket.socketpair()
