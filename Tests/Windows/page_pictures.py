"""The pictures of the page and of top in the manual, from a real run: a mosaic of images, and a sweep of which some inputs fail."""

import json
import pathlib
import tempfile

from browser import Browser
from cluster import Cluster, Failure

MANUAL = pathlib.Path(__file__).parents[2] / "Sources/Baton/Baton.docc/Resources"
IMAGES, SWEEP = 8, 60
LEAST_BYTES, MOST_BYTES = 5_000, 250_000


def run(report, options):
    """Makes the pictures; with --pictures they replace those of the manual."""
    with (
        Cluster(workers=2, slots=3) as cluster,
        Browser(cluster, report) as browser,
        tempfile.TemporaryDirectory(prefix="baton-windows-") as name,
    ):
        folder = MANUAL if options.pictures else pathlib.Path(name)
        mosaic = submit(cluster, "mosaic", mosaic_graph())
        sweep = submit(cluster, "sweep", sweep_graph())
        await_failures(cluster, sweep)
        top(cluster, browser, folder / "top.png")
        for job in (mosaic, sweep):
            await_end(cluster, job)
        take(browser, folder / "page-job.png", f"/jobs/{sweep}", "section[data-view=groups] table")
        take(browser, folder / "page-timeline.png", f"/jobs/{mosaic}?view=timeline", "section[data-view=timeline] canvas")
        take(browser, folder / "page-graph.png", f"/jobs/{mosaic}?view=graph", "section[data-view=graph] svg a")
        take(browser, folder / "page-operation.png", f"/operations/{sweep}/flaky", "[data-attempt='3']")
        for picture in sorted(folder.glob("*.png")):
            size = picture.stat().st_size
            report.figure(picture.name, f"{size:,} bytes")
            report.expect(LEAST_BYTES <= size <= MOST_BYTES, f"{picture.name} has {size:,} bytes")


def submit(cluster, name, graph):
    return cluster.baton("submit", "--name", name, "--file", "-", input=json.dumps(graph).encode()).decode().strip()


def mosaic_graph():
    """Projects images, fits the differences of neighbours, corrects the backgrounds, and adds all."""
    operations = [{"name": f"project_{index}", "command": f"sleep {0.6 + index % 3 * 0.3}"} for index in range(IMAGES)]
    for index in range(IMAGES - 1):
        operations.append(
            {"name": f"fit_{index}", "command": "sleep 0.3", "needs": [f"project_{index}", f"project_{index + 1}"]}
        )
    operations.append({"name": "model", "command": "sleep 0.8", "needs": [f"fit_{index}" for index in range(IMAGES - 1)]})
    for index in range(IMAGES):
        needs = ["model", f"project_{index}"]
        operations.append({"name": f"background_{index}", "command": f"sleep {0.3 + index % 4 * 0.1}", "needs": needs})
    backgrounds = [f"background_{index}" for index in range(IMAGES)]
    operations.append({"name": "add", "command": "sleep 1", "needs": backgrounds})
    operations.append({"name": "view", "command": "sleep 0.4", "needs": ["add"]})
    return {"operations": operations}


def sweep_graph():
    """Trains with many rates, of which the high ones diverge."""
    train = (
        'sleep 0.$((RATE % 5 + 1)); if [ $((RATE % 9)) = 4 ]; then printf "epoch 1: loss 0.7\\nepoch 2: loss nan\\n'
        'ValueError: rate 0.$RATE diverges\\n" >&2; exit 3; fi'
    )
    return {
        "operations": [
            {"name": "train", "array": f"1-{SWEEP}", "command": train.replace("$RATE", "{}").replace("(RATE", "({}")},
            {"name": "flaky", "command": "echo attempt $BATON_ATTEMPT; sleep 0.3; [ $BATON_ATTEMPT -ge 3 ]", "retries": 4, "retryDelay": "100ms"},
            {"name": "report", "command": "echo done", "needs": ["train"]},
        ]
    }


def await_failures(cluster, job):
    """Waits until some operations have failed and others execute, which is when a picture tells most."""
    for _ in cluster.await_until("failures"):
        counts = cluster.document("show", job)["counts"]
        if counts["failed"] >= 2 and counts["executing"] > 0:
            return


def await_end(cluster, job):
    for _ in cluster.await_until(f"the end of job {job}"):
        if cluster.document("show", job)["state"] == "finished":
            return


def take(browser, file, path, selector):
    """Takes a picture of a view once it shows what the picture is about."""
    with browser.tab(file.name, path, viewport={"width": 1100, "height": 700}, color_scheme="light") as tab:
        tab.page.locator(selector).first.wait_for()
        tab.await_live()
        height = tab.evaluate("Math.min(1400, document.documentElement.scrollHeight)")
        tab.page.screenshot(path=file, clip={"x": 0, "y": 0, "width": 1100, "height": height}, full_page=True)


def top(cluster, browser, file):
    """Takes a picture of a frame of top, which a tab shows as a terminal would."""
    frame = cluster.baton("top", "--once").decode()
    lines = frame.splitlines()
    if len(lines) < 6:
        raise Failure(f"baton top --once prints {len(lines)} lines: {frame!r}")
    context = browser.chromium.new_context(viewport={"width": 820, "height": 60 + 19 * len(lines)})
    page = context.new_page()
    page.set_content("<body style='margin:0;background:#14171c'><pre style='margin:0;padding:16px;color:#d8dee6;font:14px/19px monospace'></pre>")
    page.evaluate("(text) => { document.querySelector('pre').textContent = text; }", frame)
    page.screenshot(path=file)
    context.close()
