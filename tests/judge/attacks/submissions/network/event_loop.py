# outcome: FORBIDDEN_OP | RTE
# tries: start an event loop, which pairs sockets
import asyncio


async def nothing():
    pass


asyncio.run(nothing())
