"""Names and texts as hostile as they may be: no script of them runs, no element is made of them, and they break no layout."""

import json
import urllib.parse

from page_access import WIDE

IMAGE = "<img src=x onerror=madeByHostileText()>"
OVERRIDE = "\u202egnp.exe\u2066"
LONG = "w" * 200
# What the client admits as names of operations, queues and workers: no white space, no slash, no control characters.
NAMES = [
    "_<script>madeByHostileText()",
    'x"onclick="madeByHostileText()',
    "per%2e%00cent%",
    "__proto__",
    "constructor",
    "toString",
    LONG,
    "q&amp;<b>",
]
QUEUES = ["__proto__", "q&amp;<b>", "a%2Fb", LONG]
ITEMS = [IMAGE, f"{OVERRIDE}\x1b[31m\x07", "__proto__", "{}", "long" * 700]
# What a terminal would do, of which colours alone are kept; the escapes of links, titles, pictures and the cursor leave nothing.
OUTPUT = (
    "\x1b[31mred\x1b[0m \x1b[1;4;32mbold\x1b[m \x1b]0;title\x07\x1b]8;;http://example.org/\x1b\\link\x1b]8;;\x1b\\ "
    f"\x1b[2J\x1b[H\x1bPq#0\x1b\\\x1b[?25l{OVERRIDE} {IMAGE}<b>bold</b> \x1b[38;5;196mindexed\x1b[0m\r\nback\x08space\x00 {LONG}\n"
)
SHOWN = f"red bold link \\u{{202e}}gnp.exe\\u{{2066}} {IMAGE}<b>bold</b> indexed back\\u{{8}}space\\u{{0}} {LONG}"
INKS = [["red", "ink-1"], ["bold", "bold underlined ink-2"]]
# Elements that the page never makes in its content, and characters that are not seen where they stand.
FOREIGN = "main :is(img, script, iframe, object, embed, b, i, font, style, link, meta), main [onclick], main [onerror], main [style*=url]"
UNSEEN = r"""() => {
  const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  const found = unseen.test(document.title) ? ["the title"] : [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.nodeType === Node.TEXT_NODE ? unseen.test(node.data) : [...node.attributes].some((one) => unseen.test(one.value))) found.push(node.parentNode.tagName);
  }
  return found;
}"""


def check(browser, scene):
    jobs = submit(scene)
    with browser.tab("hostile", "/", expected=["status of 40[04]"]) as tab:
        for path in addresses(jobs):
            tab.open(path)
            harmless(tab, path)
        shown(tab, scene, jobs)
        output(tab, jobs)
        searches(tab, scene)


def submit(scene):
    """Submits what is hostile; returns the jobs by kind."""
    cluster = scene.cluster
    (cluster.home / "output").write_bytes(OUTPUT.encode())
    (cluster.home / "items").write_text("".join(f"{item}\n" for item in ITEMS))
    for name in QUEUES:
        cluster.baton("queue", "set", name, "--max-concurrent", "1")
    scene.start_worker("w<b>&amp;__proto__", label="place=odd")
    graph = [
        {
            "name": name,
            "command": ["sh", "-c", "cat output >&2; exit 1", IMAGE, OVERRIDE],
            "queue": QUEUES[place % len(QUEUES)],
        }
        for place, name in enumerate(NAMES)
    ]
    graph.append({"name": "last", "command": ["true"], "needs": NAMES})
    text = json.dumps({"name": IMAGE, "tags": {"__proto__": IMAGE}, "operations": graph}).encode()
    names = int(cluster.baton("submit", "--file", "-", input=text))
    items = scene.submit(
        "--name",
        "__proto__",
        "--each-line",
        str(cluster.home / "items"),
        "--tag",
        "constructor=<b>",
        "--",
        "sh",
        "-c",
        "cat output >&2; exit 3",
        "{}",
    )
    program = '"$0" progress 0.5 "$1" && sleep 600'
    progress = scene.submit(
        "--name",
        "constructor",
        "--label",
        "place=odd",
        "--",
        "sh",
        "-c",
        program,
        cluster.program,
        f"{IMAGE} {OVERRIDE} {LONG}",
    )
    scene.await_counts(names, failed=len(NAMES), skipped=1)
    scene.await_counts(items, failed=len(ITEMS))
    for _ in cluster.await_until("the progress of an operation"):
        if scene.get(f"/operations/{progress}/0")["progressMessage"]:
            break
    return {"names": names, "items": items, "progress": progress}


def addresses(jobs):
    quoted = [urllib.parse.quote(name, safe="") for name in QUEUES]
    parts = [
        f"/jobs/{jobs[kind]}{part}"
        for kind in ("names", "items")
        for part in ("", "?view=timeline", "?view=graph", "?view=operations", "?by=queue", "?by=reason")
    ]
    operations = [f"/operations/{jobs['names']}/{index}" for index in range(len(NAMES) + 1)] + [
        f"/operations/{jobs['items']}/{index}" for index in range(len(ITEMS))
    ]
    by_name = [f"/operations/{jobs['names']}/{urllib.parse.quote(name, safe='')}" for name in NAMES]
    return [
        "/",
        "/jobs",
        "/jobs?name=%3Cb%3E&queue=__proto__",
        *parts,
        *operations,
        *by_name,
        f"/operations/{jobs['progress']}/0",
        "/workers",
        f"/workers/{urllib.parse.quote('w<b>&amp;__proto__')}",
        "/workers/__proto__",
        "/queues",
        *(f"/queues/{name}" for name in quoted),
        f"/jobs/{jobs['names']}?view=constructor&by=__proto__&state=constructor",
        f"/operations/{jobs['names']}/0?stream=__proto__",
    ]


def harmless(tab, path):
    """Checks that nothing of the texts has become an element, is unseen, or breaks the layout."""
    found = tab.evaluate(
        "(selector) => [...document.querySelectorAll(selector)].map((each) => each.outerHTML.slice(0, 100))", FOREIGN
    )
    tab.expect(not found, f"{path} has the elements {found[:3]}")
    unseen = tab.evaluate(UNSEEN)
    tab.expect(not unseen, f"{path} has characters that are not seen, in {unseen[:3]}")
    for width in (320, 1280):
        tab.page.set_viewport_size({"width": width, "height": 900})
        wide = tab.evaluate("document.documentElement.scrollWidth") - width
        tab.expect(wide <= 0, f"{path} is {wide} px too wide in a window of {width} px: {tab.evaluate(WIDE)}")


def shown(tab, scene, jobs):
    """Hostile texts are there to be read, as they are."""
    tab.open(f"/jobs/{jobs['names']}")
    tab.expect(tab.text("h1") == f"Job {jobs['names']} · {IMAGE}", f"the heading is {tab.text('h1')!r}")
    tab.expect(IMAGE in tab.page.title(), f"the title is {tab.page.title()!r}")
    tab.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
    tab.expect(f"__proto__={IMAGE}" in tab.text("main .facts"), f"the tags are {tab.text('main .facts')!r}")
    tab.open(f"/jobs/{jobs['names']}?view=operations")
    tab.until("the operations are not listed", lambda: tab.count("[data-table=operations] tbody tr") == len(NAMES) + 1)
    names = tab.evaluate(
        "[...document.querySelectorAll('[data-table=operations] tbody td.name')].map((each) => each.textContent)"
    )
    tab.expect(names == [*NAMES, "last"], f"the names are shown as {names}")
    tab.open(f"/jobs/{jobs['items']}?view=operations")
    tab.until("the items are not listed", lambda: tab.count("[data-table=operations] tbody tr") == len(ITEMS))
    names = tab.evaluate(
        "[...document.querySelectorAll('[data-table=operations] tbody td.name')].map((each) => each.textContent)"
    )
    tab.expect(
        IMAGE in names[0] and r"\u{202e}gnp.exe\u{2066}\u{1b}[31m\u{7}" in names[1],
        f"the items are shown as {names[:2]}",
    )
    tab.open(f"/operations/{jobs['progress']}/0")
    message = rf"{IMAGE} \u{{202e}}gnp.exe\u{{2066}} {LONG}"
    tab.until(
        lambda: f"the message of progress is shown as {tab.text('main .sentence')!r}",
        lambda: message in (tab.text("main .sentence") or ""),
    )
    for name in QUEUES:
        tab.open("/queues")
        tab.page.locator("[data-table=queues] th a").get_by_text(name, exact=True).click()
        tab.await_view("queue")
        tab.expect(tab.text("h1") == f"Queue {name}", f"the link of the queue {name[:20]} leads to {tab.text('h1')!r}")


def output(tab, jobs):
    """Of an output colours are kept, and nothing else that a terminal would do."""
    tab.open(f"/operations/{jobs['names']}/0")
    tab.until(lambda: f"the output is shown as {tab.text('pre.log')!r}", lambda: tab.text("pre.log") == SHOWN)
    inks = tab.evaluate(
        "[...document.querySelectorAll('pre.log span[class]')].map((each) => [each.textContent, each.className])"
    )
    tab.expect(inks == INKS, f"the colours of the output are {inks}")
    tab.open(f"/jobs/{jobs['names']}")
    failure = tab.text('[data-view="failures"] pre')
    tab.expect(failure == SHOWN, f"the error output of a failure is shown as {failure!r}")


def searches(tab, scene):
    for text in (
        "a/b",
        "../../etc",
        "100%",
        "%2F%00",
        "<b>",
        IMAGE,
        "__proto__",
        "constructor",
        OVERRIDE,
        '"',
        "'",
        "&",
        "#",
        "?q=",
        "w" * 200,
        "\\",
        "*",
        "[",
        "(.*)+$",
        " ",
    ):
        tab.page.fill("#search input", text)
        tab.press("Enter")
        if text.strip():
            tab.await_view("search")
            wanted = len(scene.get(f"/search?q={urllib.parse.quote(text.strip(), safe='')}")["results"])
            tab.until(
                lambda: (
                    f"the search for {text!r} has {tab.count('[data-table=results] tbody tr')} results, not {wanted}"
                ),
                lambda: tab.count("[data-table=results] tbody tr") == wanted,
            )
            harmless(tab, f"the search for {text[:40]!r}")
        else:
            tab.until("the search for nothing does not lead to an empty search", lambda: tab.path == "/search")
    for path in ("/queues/%ff", "/jobs/%3Cb%3E", "/workers/%00", "/search?q=%ff%E0", "/operations/1/%3Cscript%3E"):
        tab.page.goto(scene.cluster.url + path)
        tab.expect(tab.text("body"), f"{path} has no answer")
        harmless(tab, path)
