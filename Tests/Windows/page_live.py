"""The live stream: what changes is seen, nothing moves under the pointer, and a coordinator that dies and comes back is noticed."""

import re
import signal

GONE = r"net::ERR_(CONNECTION|INCOMPLETE|EMPTY|SOCKET|NETWORK)"
REFUSED = r"status of 401"
# Playwright's pages are never hidden; this makes the page believe that it is.
HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (isHidden ? "hidden" : "visible") });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def check(browser, scene):
    with browser.tab("live", f"/jobs/{scene.running}") as tab:
        figures_move(tab, scene)
        one_stream(tab, scene)
        hidden(tab, scene)
    with browser.tab("pointer", "/jobs") as tab:
        nothing_moves(tab, scene)
    refused_stream(browser, scene)
    with browser.tab("restart", f"/jobs/{scene.running}", expected=[GONE]) as tab:
        restart(tab, scene)


def await_finished(tab, count, what):
    """Waits until the page shows so many finished operations of the large running job."""
    tab.until(
        lambda: f"{what}: {tab.field('counts.succeeded')} operations have succeeded, not {count}",
        lambda: tab.field("counts.succeeded") == str(count),
    )


def figures_move(tab, scene):
    tab.await_live()
    for count in (23, 31, 32):
        scene.open_gate(count)
        await_finished(tab, count, "an operation has finished")
        tab.until(
            "the counts beside are not those of the same moment",
            lambda: tab.field("counts.ready") == f"{20_000 - count - 2:,}",
        )
    elapsed = tab.field("elapsed")
    tab.until(f"the elapsed time stays {elapsed!r}", lambda: tab.field("elapsed") != elapsed)


def streams(scene):
    """How many streams the server serves."""
    text = scene.cluster.get("/metrics").body.decode()
    return int(float(re.search(r"^baton_http_streams(?:\{\})? (\S+)$", text, re.MULTILINE)[1]))


def await_streams(tab, scene, count, what):
    tab.until(lambda: f"{what}: the server has {streams(scene)} streams, not {count}", lambda: streams(scene) == count)


def opened(tab):
    return sum("/api/v1/live" in request for request in tab.requests)


def one_stream(tab, scene):
    await_streams(tab, scene, 1, "one tab shows a job")
    for path, view in (("/workers", "workers"), ("/queues", "queues"), ("/", "overview")):
        before = opened(tab)
        tab.page.locator(f"header nav a[href='{path}']").click()
        tab.await_view(view)
        tab.await_live()
        tab.expect(opened(tab) == before + 1, f"{view} opens {opened(tab) - before} streams, not one")
        await_streams(tab, scene, 1, f"one tab shows {view}")
    tab.page.locator(f"a[href='/jobs/{scene.running}']").first.click()
    tab.await_view("job")
    tab.await_live()


def hidden(tab, scene):
    tab.evaluate(HIDE, True)
    await_streams(tab, scene, 0, "the tab is hidden")
    tab.until("a hidden tab is not off", lambda: tab.count("body[data-live=off]") == 1)
    before = len(tab.requests)
    scene.open_gate(40)
    scene.await_counts(scene.running, succeeded=40)
    tab.expect(tab.field("counts.succeeded") == "32", "a hidden tab follows the job")
    tab.expect(len(tab.requests) == before, f"a hidden tab sends {tab.requests[before:]}")
    tab.evaluate(HIDE, False)
    tab.await_live()
    await_finished(tab, 40, "the tab is seen again")
    await_streams(tab, scene, 1, "the tab is seen again")


def nothing_moves(tab, scene):
    tab.await_live()
    places = lambda: tab.texts("[data-table=jobs] tbody th")
    more = tab.page.locator(".table > button")
    top = lambda: tab.page.locator("[data-table=jobs] tbody tr").first.bounding_box()["y"]
    for what, attend in (
        ("pointed at", lambda: tab.page.locator("[data-table=jobs] tbody tr").first.hover()),
        ("focused", lambda: tab.page.locator("[data-table=jobs] tbody th a").nth(1).focus()),
    ):
        attend()
        before, height = places(), top()
        new = [str(scene.submit("--name", "newcomer", "--", "true")) for _ in range(2)]
        tab.until(
            f"nothing says that there is something new while a row is {what}",
            lambda: more.is_visible() and "2 new" in more.inner_text(),
        )
        tab.expect(places() == before, f"rows have moved while one was {what}")
        tab.expect(top() == height, f"the rows have moved by {top() - height} px while one was {what}")
        more.click()
        tab.until(f"the new rows do not come: {places()[:3]}", lambda: places()[:2] == new[::-1])
        tab.page.locator("h1").hover()
    tab.evaluate("document.activeElement.blur()")
    new = str(scene.submit("--name", "newcomer", "--", "true"))
    tab.until("a new row does not come by itself where nobody looks at a row", lambda: places()[0] == new)


def refused_stream(browser, scene):
    token = scene.cluster.baton("authorize", "--role", "viewer", "--http", "leaver").decode().split()[-1]
    with browser.tab("refused stream", "/workers", token=token, expected=[REFUSED]) as tab:
        tab.await_live()
        scene.cluster.baton("revoke", "leaver")
        tab.evaluate(HIDE, True)
        tab.evaluate(HIDE, False)
        tab.until("a page whose token was revoked does not ask for another", lambda: tab.count("form.token") == 1)
        tab.expect(tab.count("body[data-live=off]") == 1, "a stream that is refused is not off")


def restart(tab, scene):
    cluster = scene.cluster
    tab.await_live()
    tab.evaluate("globalThis.isSamePage = true")
    cluster.coordinator.send_signal(signal.SIGKILL)
    cluster.coordinator.wait()
    cluster.processes.remove(cluster.coordinator)
    for state in ("reconnecting", "stale"):
        tab.until(
            lambda: f"the page does not say {state} without a coordinator",
            lambda: tab.count(f"body[data-live={state}]") == 1,
        )
        tab.until_text("#live", r"data (\d+m )?\d+s old", f"what the page says of its data while {state}")
    old = tab.text("#live")
    tab.until(f"the age of the data stays {old!r}", lambda: tab.text("#live") != old)
    tab.expect(tab.field("counts.succeeded") == "40", "the last figures are gone without a coordinator")
    tab.ask("cancel")
    answer = tab.confirm()
    tab.expect("does not answer" in answer, f"the reply to an action without a coordinator is {answer!r}")
    scene.open_gate(44)
    arguments = [
        "coordinator",
        "--listen",
        cluster.address,
        "--http",
        f"{cluster.host}:{cluster.port}",
        *cluster.arguments[2:],
    ]
    cluster.coordinator = cluster.spawn(arguments)
    tab.await_live()
    tab.until_text("#live", "^Live$", "what the page says when it is live again")
    await_finished(tab, 44, "the coordinator is there again")
    tab.expect(tab.evaluate("globalThis.isSamePage"), "the page was loaded again")
    tab.expect(scene.job(scene.running)["counts"]["succeeded"] == 44, "the record has other figures than before")
    scene.open_gate(45)
    await_finished(tab, 45, "the stream goes on after the restart")
