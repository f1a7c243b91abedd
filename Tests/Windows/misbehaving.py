"""Clients that do what they should not, each on a connection of its own, again and again until they are told to end."""

import asyncio
import contextlib
import socket
import struct
import threading

# All come from another loopback address than the others, as if from another host.
SOURCE = "127.0.0.66"
# How long a client rests between two connections: the server's work counts, and not that of making connections.
PAUSE = 0.5


class Crowd:
    """Clients that misbehave, of each kind equally many."""

    def __init__(self, cluster, size):
        self.cluster = cluster
        self.kinds = [slow_header, silent, huge_header, huge_body, endless_body, half_closed, never_reading, resetting]
        self.size = size
        # How often each kind has come to an end, and with which statuses it was answered.
        self.rounds = {kind.__name__: 0 for kind in self.kinds}
        self.statuses = {kind.__name__: set() for kind in self.kinds}

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.tasks = [
            asyncio.run_coroutine_threadsafe(self.repeat(self.kinds[index % len(self.kinds)]), self.loop)
            for index in range(self.size)
        ]
        return self

    def __exit__(self, *error):
        for task in self.tasks:
            task.cancel()
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.2), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def repeat(self, kind):
        while True:
            writer = None
            try:
                reader, writer = await asyncio.open_connection(
                    self.cluster.host, self.cluster.port, local_addr=(SOURCE, 0), limit=1 << 12
                )
                await kind(self, reader, writer)
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                pass
            finally:
                if writer:
                    writer.transport.abort()
            self.rounds[kind.__name__] += 1
            await asyncio.sleep(PAUSE)

    def head(self, request):
        host = f"{self.cluster.host}:{self.cluster.port}"
        return f"{request} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {self.cluster.token}\r\n".encode()

    async def note(self, kind, reader):
        """Waits for an answer, and notes its status."""
        line = await asyncio.wait_for(reader.readline(), 60)
        if line:
            self.statuses[kind].add(int(line.split()[1]))


async def slow_header(crowd, reader, writer):
    """Sends a byte a second."""
    for byte in crowd.head("GET /api/v1/status"):
        writer.write(bytes([byte]))
        await writer.drain()
        if reader.at_eof():
            return
        await asyncio.sleep(1)


async def silent(crowd, reader, writer):
    """Connects, and says nothing."""
    await crowd.note("silent", reader)


async def huge_header(crowd, reader, writer):
    """Sends 64 KiB of headers."""
    writer.write(crowd.head("GET /api/v1/status") + b"X-Filler: " + b"x" * (1 << 16) + b"\r\n\r\n")
    await crowd.note("huge_header", reader)


async def huge_body(crowd, reader, writer):
    """Announces a body of 10 GiB, and sends some MiB of it."""
    head = crowd.head("POST /api/v1/jobs")
    writer.write(head + b"Content-Type: application/json\r\nContent-Length: 10737418240\r\n\r\n")
    await send_much(writer, b" " * (1 << 16), 64)
    await crowd.note("huge_body", reader)


async def endless_body(crowd, reader, writer):
    """Sends a body in parts without an end."""
    head = crowd.head("POST /api/v1/operations/cancel")
    writer.write(head + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    part = b"10000\r\n" + b" " * (1 << 16) + b"\r\n"
    await send_much(writer, part, 64)
    await crowd.note("endless_body", reader)


async def send_much(writer, part, count):
    """Sends parts, as fast as the server takes them, until it closes the connection."""
    # What the server has answered can be read afterwards, unless it was lost with the connection.
    with contextlib.suppress(OSError):
        for _ in range(count):
            writer.write(part)
            await asyncio.wait_for(writer.drain(), 60)


async def half_closed(crowd, reader, writer):
    """Closes its sending side in the middle of a request."""
    writer.write(crowd.head("GET /api/v1/jobs")[:-10])
    await writer.drain()
    writer.write_eof()
    await crowd.note("half_closed", reader)


async def never_reading(crowd, reader, writer):
    """Opens a stream of all events, and takes nothing of it."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
    writer.transport.pause_reading()
    writer.write(crowd.head("GET /api/v1/events?since=0") + b"\r\n")
    await asyncio.sleep(30)


async def resetting(crowd, reader, writer):
    """Resets the connection while the answer is on its way."""
    writer.write(crowd.head("GET /api/v1/jobs") + b"\r\n")
    await writer.drain()
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()
