"""The timeline and the graph of a job, with pointer and keys, and the tables behind them."""

import re
import urllib.parse

from page_compare import rows
from page_forms import state

# Whether something is drawn on a canvas: more than one colour.
DRAWN = """() => {
  const canvas = document.querySelector("[data-view=timeline] canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size > 3;
}"""
VIEW = ".timeline-view"


def check(browser, scene):
    with browser.tab("timeline", f"/jobs/{scene.story}?view=timeline") as tab:
        timeline_tables(tab, scene)
        brush(tab, scene)
        timeline_keys(tab, scene)
        density(tab, scene)
    with browser.tab("graph", f"/jobs/{scene.story}?view=graph") as tab:
        graph(tab, scene)
        graph_keys(tab, scene)
        graph_of_groups(tab, scene)
        live_graph(tab, scene)


def open_table(tab, name):
    """Opens a table behind a chart, and returns its rows."""
    details = tab.page.locator("details.behind", has=tab.page.locator(f"[data-table={name}]"))
    if not details.evaluate("(each) => each.open"):
        details.locator("summary").click()
    tab.until(f"the table {name} is empty", lambda: rows(tab, name))
    return rows(tab, name)


def is_behind(tab, name):
    """Whether a table is offered behind the chart that is shown."""
    return tab.page.locator(f"details.behind:has([data-table={name}]) > summary").is_visible()


def window(tab):
    """The window of time in the address."""
    items = urllib.parse.parse_qs(urllib.parse.urlsplit(tab.page.url).query)
    return items.get("from", [None])[0], items.get("to", [None])[0]


def timeline_tables(tab, scene):
    tab.until("nothing is drawn on the timeline", lambda: tab.evaluate(DRAWN))
    attempts = scene.get(f"/jobs/{scene.story}/timeline")["operations"]
    shown = open_table(tab, "attempts")
    wanted = [[one["operation"], f"{one['worker']}, slot {one['lane'] + 1}", one["outcome"]] for one in attempts]
    table = [[row[0], row[2], row[-1]] for row in shown]
    tab.expect(sorted(table) == sorted(wanted), f"the table behind the timeline has {table}, not {wanted}")
    path = scene.get(f"/jobs/{scene.story}/critical-path")["operations"]
    shown = [row[:2] for row in open_table(tab, "critical-path")]
    wanted = [[one["operation"], one["name"]] for one in path]
    tab.expect(shown == wanted, f"the table of the critical path has {shown}, not {wanted}")
    tab.page.check("text=Fold gaps")
    tab.until(lambda: f"the folding of gaps is not in the address {tab.path!r}", lambda: "fold=1" in tab.path)
    tab.page.go_back()
    tab.until("gaps are still folded on the way back", lambda: not tab.page.is_checked("text=Fold gaps"))


def brush(tab, scene):
    box = tab.page.locator(VIEW).bounding_box()
    y = box["y"] + 30
    tab.page.mouse.move(box["x"] + 0.4 * box["width"], y)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 0.5 * box["width"], y, steps=4)
    tab.expect(tab.page.locator(".timeline-brush").is_visible(), "nothing shows the stretch over which is dragged")
    tab.page.mouse.move(box["x"] + 0.6 * box["width"], y, steps=4)
    tab.page.mouse.up()
    tab.until(lambda: f"dragging does not put a window into the address {tab.path!r}", lambda: all(window(tab)))
    job = scene.job(scene.story)
    begin, end = window(tab)
    tab.expect(
        job["submittedAt"] <= begin < end <= job["finishedAt"], f"the window {begin} to {end} is not within the job"
    )
    tab.page.reload()
    tab.await_ready()
    tab.expect(window(tab) == (begin, end), "the window is another one after a reload")
    tab.until("nothing is drawn of a window after a reload", lambda: tab.evaluate(DRAWN))
    tab.page.go_back()
    tab.until("the whole job is not shown on the way back", lambda: window(tab) == (None, None))


def timeline_keys(tab, scene):
    tab.open(f"/jobs/{scene.story}?view=timeline")
    tab.page.locator(VIEW).focus()
    tab.press("+")
    tab.until("the key + does not zoom", lambda: all(window(tab)))
    before = window(tab)
    tab.press("ArrowLeft")
    tab.until("the left arrow does not go to earlier times", lambda: window(tab)[0] < before[0])
    tab.press("Home")
    tab.until("the key Home does not show the whole job", lambda: window(tab) == (None, None))
    for title, goes in (("Zoom in", True), ("Later", True), ("Whole job", False)):
        tab.page.get_by_role("button", name=title).click()
        tab.until(f"the button {title} does not do so", lambda: all(window(tab)) == goes)
    tab.page.locator(VIEW).focus()
    tab.until(
        "the attempts are not there for the keys",
        lambda: (tab.press("ArrowDown"), tab.page.locator(".timeline-tip").is_visible())[1],
    )
    tip = tab.text(".timeline-tip")
    tab.expect(
        re.search(rf"{scene.story}/\d flaky.*slot \d.*attempt \d.*started at", tip),
        f"the note of an attempt is {tip!r}",
    )
    tab.press("Escape")
    tab.expect(not tab.page.locator(".timeline-tip").is_visible(), "Esc does not close the note of an attempt")
    tab.press("ArrowDown", "Enter")
    tab.await_view("operation")
    tab.expect(tab.path.startswith(f"/operations/{scene.story}/"), f"Enter on an attempt leads to {tab.path!r}")


def density(tab, scene):
    """Too many attempts are shown as how busy the workers were; in a short window they are lanes."""
    tab.open(f"/jobs/{scene.large}?view=timeline")
    tab.until("20,000 attempts have no table of their times", lambda: is_behind(tab, "buckets"))
    tab.expect(not is_behind(tab, "attempts"), "20,000 attempts have a table of attempts")
    tab.until("nothing is drawn of a large job", lambda: tab.evaluate(DRAWN))
    finished = sum(int(row[2].replace(",", "")) for row in open_table(tab, "buckets"))
    tab.expect(finished == scene.job(scene.large)["size"], f"the table of a large job has {finished} operations")
    tab.page.locator(VIEW).focus()
    for _ in range(12):
        before = window(tab)
        tab.press("+")
        tab.until("the key + does not zoom", lambda: window(tab) != before)
        document = scene.get(
            f"/jobs/{scene.large}/timeline?{urllib.parse.urlencode(dict(zip(('from', 'to'), window(tab))))}"
        )
        if document["operations"] is not None:
            break
    tab.until("the attempts of a short window have no table", lambda: is_behind(tab, "attempts"))
    tab.expect(not is_behind(tab, "buckets"), "a short window has a table of times as well")


def nodes(tab):
    """The links and states of the drawn nodes."""
    return tab.evaluate(
        "[...document.querySelectorAll('.graph svg a')].map((each) => [each.getAttribute('href'), each.dataset.state])"
    )


def graph(tab, scene):
    known = scene.get(f"/jobs/{scene.story}/graph")
    tab.one(".graph svg").wait_for()
    wanted = [[f"/operations/{one['id']}", state(one)] for one in known["nodes"]]
    # Of an operation that was not needed the graph has no reason.
    shown = [[link, "skipped" if word == "notNeeded" else word] for link, word in nodes(tab)]
    tab.expect(shown == wanted, f"the nodes of the graph are {shown}, not {wanted}")
    for node, text in zip(known["nodes"], tab.texts(".graph svg a text")):
        tab.expect(text == node["name"], f"the node {node['id']} has the text {text!r}")
    labels = tab.evaluate(
        "[...document.querySelectorAll('.graph svg a')].map((each) => each.getAttribute('aria-label'))"
    )
    for label, node in zip(labels, known["nodes"]):
        tab.expect(node["name"] in label and state(node) in label, f"the node {node['id']} is called {label!r}")
    lines = tab.evaluate(
        "[...document.querySelectorAll('.graph path.edge')].map((each) => (each.getAttribute('d') ?? '').split('M').length - 1)"
    )
    tab.expect(sum(lines) == len(known["edges"]), f"{sum(lines)} of {len(known['edges'])} edges are drawn")
    table = open_table(tab, "nodes")
    tab.expect(
        [row[0] for row in table] == [one["id"] for one in known["nodes"]], f"the table behind the graph has {table}"
    )
    tab.expect(
        f"{scene.story}/0" in table[1][4], f"the table behind the graph does not say what a node needs: {table[1]}"
    )
    content = tab.download(tab.page.get_by_role("button", name="Save as SVG"))
    tab.expect(b"<svg" in content, f"what is saved as SVG begins with {content[:40]!r}")
    width = tab.page.locator(".graph svg").bounding_box()["width"]
    tab.page.get_by_role("button", name="Zoom in").click()
    tab.expect(
        tab.page.locator(".graph svg").bounding_box()["width"] > width, "the button + does not zoom the graph"
    )
    tab.page.locator(f'.graph a[href="/operations/{scene.story}/2"]').click()
    tab.await_view("operation")
    tab.expect(tab.path == f"/operations/{scene.story}/2", f"a node leads to {tab.path!r}")


def graph_keys(tab, scene):
    tab.open(f"/jobs/{scene.story}?view=graph")
    tab.one(".graph svg").wait_for()
    stops = tab.count('.graph svg a[tabindex="0"]')
    tab.expect(stops == 1, f"the graph has {stops} tab stops, not one")
    focused = lambda: tab.evaluate("document.activeElement.getAttribute('href')")
    tab.page.get_by_role("button", name="Save as SVG").focus()
    # The region of the graph is a stop of its own where it scrolls.
    for _ in range(2):
        if focused() is None:
            tab.press("Tab")
    tab.expect(
        focused(),
        f"Tab does not lead to a node of the graph, but to {tab.evaluate('document.activeElement.outerHTML')[:80]!r}",
    )
    tab.page.locator(".graph svg a").last.focus()
    tab.press("Home")
    tab.expect(focused() == f"/operations/{scene.story}/0", f"Home leads to {focused()!r}")
    tab.press("ArrowRight")
    first = focused()
    tab.expect(
        first in (f"/operations/{scene.story}/1", f"/operations/{scene.story}/2"), f"the right arrow leads to {first!r}"
    )
    stroke = tab.evaluate("getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth")
    tab.expect(float(stroke.removesuffix("px")) >= 3, f"the focused node has a stroke of {stroke} alone")
    tab.press("ArrowLeft")
    tab.expect(focused() == f"/operations/{scene.story}/0", f"the left arrow leads to {focused()!r}")
    tab.press("Enter")
    tab.await_view("operation")


def graph_of_groups(tab, scene):
    tab.open(f"/jobs/{scene.running}?view=graph")
    tab.one(".graph svg").wait_for()
    tab.expect(tab.count(".graph svg a") == 1, "an array of 20,000 is not one node")
    tab.until_text(".graph svg a", "slow-sweep.*20,000", "the node of an array")
    tab.page.locator(".graph svg a").click()
    tab.one('[data-view="operations"]')
    tab.expect("name=slow-sweep" in tab.path, f"the node of an array leads to {tab.path!r}")
    tab.until("the operations of an array are not listed", lambda: tab.count("[data-table=operations] tbody tr") == 100)


def live_graph(tab, scene):
    """States change in the elements that are there."""
    job, pipe = scene.following("drawn")
    scene.await_counts(job, executing=1)
    tab.open(f"/jobs/{job}?view=graph")
    tab.until(
        lambda: f"the node of an executing operation is {nodes(tab)}",
        lambda: [word for _, word in nodes(tab)] == ["executing"],
    )
    tab.evaluate("document.querySelector('.graph svg a').isKept = true")
    pipe.close()
    tab.until(
        lambda: f"the node of an operation that has ended is {nodes(tab)}",
        lambda: [word for _, word in nodes(tab)] == ["succeeded"],
    )
    tab.expect(
        tab.evaluate("document.querySelector('.graph svg a').isKept"),
        "a node was made anew when its state changed",
    )
