"""A receiver of OTLP over HTTP that checks what it gets with OpenTelemetry's own definitions, and that can be away."""

import base64
import http.server
import json
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

# The fields that are hexadecimal digits in OTLP's JSON, and base64 in that of protobuf.
IDENTITIES = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


class Receiver:
    """Serves until the end of the with block.

    - mode: "takes", "503" (with Retry-After), or "drops" for connections that are closed without an answer.
    - spans: the spans by (trace, span), each the list of its arrivals.
    """

    def __init__(self):
        self.mode = "takes"
        self.spans = {}
        self.requests = []
        self.turned_away = 0
        self.complaints = []
        self.lock = threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if receiver.mode == "takes":
                    receiver.take(self, body)
                    return self.answer(200, b"{}")
                with receiver.lock:
                    receiver.turned_away += 1
                if receiver.mode == "503":
                    self.answer(503, b"", {"Retry-After": "1"})
                else:
                    self.close_connection = True
                    self.connection.close()

            def answer(self, status, body, headers={}):
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

            def finish(self):
                try:
                    super().finish()
                except (OSError, ValueError):
                    pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()

    def take(self, handler, body):
        with self.lock:
            self.requests.append((handler.path, dict(handler.headers)))
            try:
                message = parse(body)
            except (ValueError, json_format.ParseError) as error:
                return self.complaints.append(f"{error}: {body[:200]}")
            for resource in message.resource_spans:
                attributes = values(resource.resource.attributes)
                if attributes.get("service.name") != "baton" or not attributes.get("service.version"):
                    self.complaints.append(f"the resource has {attributes}")
                for scope in resource.scope_spans:
                    if len(scope.spans) > 512:
                        self.complaints.append(f"a request has {len(scope.spans)} spans")
                    for span in scope.spans:
                        self.spans.setdefault((span.trace_id.hex(), span.span_id.hex()), []).append(span)


def parse(body):
    """The request in protobuf's own form; fails for anything that OTLP does not know."""

    def convert(value):
        if isinstance(value, list):
            return [convert(element) for element in value]
        if not isinstance(value, dict):
            return value
        members = {}
        for key, member in value.items():
            if key in IDENTITIES:
                if member != member.lower() or len(member) != 2 * IDENTITIES[key]:
                    raise ValueError(f"{key} is {member}")
                member = base64.b64encode(bytes.fromhex(member)).decode()
            elif key.endswith("Nano") and not isinstance(member, str):
                raise ValueError(f"{key} is no text")
            members[key] = convert(member)
        return members

    return json_format.ParseDict(convert(json.loads(body)), trace_service_pb2.ExportTraceServiceRequest())


def values(attributes):
    """Attributes by their names."""
    return {attribute.key: getattr(attribute.value, attribute.value.WhichOneof("value")) for attribute in attributes}
