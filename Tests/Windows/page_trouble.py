"""What the page says while the coordinator refuses: a record that cannot be written, and more streams than it serves."""

import contextlib
import re
import resource
import socket

from page_live import streams

REFUSED = r"status of (429|503)"
# The most streams that a coordinator serves.
MOST_STREAMS = 64


def check(browser, scene):
    failing_record(browser, scene)
    missing_module(browser)
    refused_streams(browser, scene)


@contextlib.contextmanager
def small_files(scene):
    """Keeps the files of the coordinator from growing."""
    process = scene.cluster.coordinator.pid
    soft, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.prlimit(process, resource.RLIMIT_FSIZE, (soft, hard))


def failing_record(browser, scene):
    fault = "The record cannot be written: .*nothing new is accepted"
    with (
        browser.tab("record", "/queues/web", expected=[REFUSED]) as tab,
        browser.tab("search", "/search?q=sweep", expected=[REFUSED]) as search,
    ):
        tab.await_live()
        tab.expect(not tab.text("#banner"), f"the page tells of trouble where there is none: {tab.text('#banner')!r}")
        with small_files(scene):
            tab.ask("suspend")
            answer = tab.confirm()
            tab.expect("record" in answer, f"the reply to an action that cannot be kept is {answer!r}")
            tab.until_text("#banner", fault, "what stands above the page")
            tab.expect(tab.count("main .head"), "a page that is shown goes when the record fails")
            tab.page.locator("header nav a[href='/jobs']").click()
            tab.await_view("jobs")
            tab.until_text("main", "The record .* cannot be", "what a view says that the coordinator cannot answer")
            tab.expect(re.search(fault, tab.text("#banner")), "another view does not tell of the trouble")
            search.page.fill("#search input", "story")
            search.press("Enter")
            search.until_text("main", "The record .* cannot be", "what a search says that cannot be answered")
            search.expect("sweep" not in search.text("main"), "a search shows the results of the one before")
        tab.until_text("[data-table=jobs]", "three steps", "a view, once the coordinator can answer again")
        search.until_text("[data-table=results]", "story", "a search, once the coordinator can answer again")
        tab.until("the trouble is over, and the page still tells of it", lambda: not tab.text("#banner"))
        tab.await_live()
        tab.open("/queues/web")
        # What was taken takes effect once it can be kept.
        tab.until_text("main .head", "suspended", "the state of a queue that was suspended meanwhile")
        tab.ask("resume")
        tab.confirm()
        tab.until_text("main .head", "open", "the state of a queue that is resumed, once the trouble is over")


def missing_module(browser):
    """A view whose script does not come, as while the coordinator is away, is there as soon as it can be."""
    with browser.tab("module", "/", expected=[r"ERR_FAILED"]) as tab:
        pattern = "**/assets/queues.js"
        tab.page.route(pattern, lambda route: route.abort())
        tab.page.locator("header nav a[href='/queues']").click()
        tab.until_text("main", "The coordinator does not answer", "what a view says whose script does not come")
        tab.page.unroute(pattern)
        # The page is loaded anew meanwhile.
        tab.page.locator("[data-table=queues] tbody tr", has_text="nightly").wait_for()
        tab.expect(tab.path == "/queues", f"a view whose script comes later is {tab.path}")


def refused_streams(browser, scene):
    for _ in scene.cluster.await_until("a server without streams"):
        if streams(scene) == 0:
            break
    with contextlib.ExitStack() as stack:
        statuses = [open_stream(scene.cluster, stack) for _ in range(MOST_STREAMS)]
        with browser.tab("no stream", "/workers", expected=[REFUSED]) as tab:
            tab.expect(statuses == [200] * MOST_STREAMS, f"{MOST_STREAMS} streams are answered with {set(statuses)}")
            tab.until_text("#live", "^Reconnecting: .*streams", "what the page says of a stream that is refused")
            tab.expect("hall" in tab.text("[data-table=workers]"), "a page without a stream does not show the workers")
            stack.close()
            tab.await_live()
            tab.until_text("#live", "^Live$", "what the page says once there is room for its stream")


def open_stream(cluster, stack):
    """Opens a stream, and leaves it alone; returns the status."""
    connection = stack.enter_context(socket.create_connection((cluster.host, cluster.port)))
    connection.sendall(
        f"GET /api/v1/live?topics=overview HTTP/1.1\r\nHost: {cluster.host}:{cluster.port}\r\n"
        f"Authorization: Bearer {cluster.token}\r\n\r\n".encode()
    )
    return int(connection.recv(64).split()[1])
