"""Clients of streams on raw sockets, so that hundreds of them cost next to nothing."""

import asyncio
import time


class Reader:
    """A client that reads one stream of server-sent events."""

    def __init__(self, cluster, path, source=None):
        self.cluster = cluster
        self.path = path
        self.source = source
        # The status of the answer; None if the connection was closed without one.
        self.status = None
        self.headers = {}
        # Moments and kinds of the events, without comments.
        self.events = []
        # The bytes of the stream, without those of its framing.
        self.bytes = 0
        self.has_ended = False
        self.error = None

    async def run(self, end):
        """Reads until the event `end` is set, the server ends the stream, or it refuses the request."""
        reading = asyncio.create_task(self.read())
        ending = asyncio.create_task(end.wait())
        await asyncio.wait([reading, ending], return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        if not reading.done():
            reading.cancel()
        await asyncio.gather(reading, ending, return_exceptions=True)

    async def read(self):
        writer = None
        try:
            local = (self.source, 0) if self.source else None
            reader, writer = await asyncio.open_connection(self.cluster.host, self.cluster.port, local_addr=local)
            await self.converse(reader, writer)
        except (OSError, asyncio.IncompleteReadError) as error:
            self.error = error
        finally:
            if writer:
                writer.close()

    async def converse(self, reader, writer):
        writer.write(
            f"GET {self.path} HTTP/1.1\r\nHost: {self.cluster.host}:{self.cluster.port}\r\n"
            f"Authorization: Bearer {self.cluster.token}\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        self.status = int(head[0].split()[1])
        self.headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        if self.status != 200:
            return
        rest = b""
        while data := await self.chunk(reader):
            self.bytes += len(data)
            *blocks, rest = (rest + data).split(b"\n\n")
            now = time.monotonic()
            for block in blocks:
                kind = next((line[7:].decode() for line in block.split(b"\n") if line.startswith(b"event: ")), None)
                if kind:
                    self.events.append((now, kind))
        self.has_ended = True

    async def chunk(self, reader):
        """The next bytes of the body; empty at its end."""
        if self.headers.get("transfer-encoding") != "chunked":
            return await reader.read(1 << 16)
        size = int((await reader.readline()).split(b";")[0], 16)
        data = await reader.readexactly(size + 2)
        return data[:-2]

    def most(self, window):
        """The most events of one kind that arrived within a window of so many seconds."""
        most = 0
        for kind in {kind for _, kind in self.events}:
            times = [moment for moment, other in self.events if other == kind]
            first = 0
            for last, moment in enumerate(times):
                while times[first] <= moment - window:
                    first += 1
                most = max(most, last - first + 1)
        return most


async def read_for(readers, seconds, meanwhile=None):
    """Lets readers read for so long; returns what `meanwhile` returns, which runs on another thread at the same time."""
    end = asyncio.Event()
    tasks = [asyncio.create_task(reader.run(end)) for reader in readers]
    work = asyncio.create_task(asyncio.to_thread(meanwhile)) if meanwhile else None
    await asyncio.sleep(seconds)
    result = await work if work else None
    end.set()
    await asyncio.gather(*tasks)
    return result
