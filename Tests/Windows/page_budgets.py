"""The budgets of the page: its files, how soon it is ready, and what the page of a large job takes."""

import contextlib
import json
import time

from browser import Browser
from budget_million import job_of
from cluster import Cluster, Failure
from report import median

MOST_ASSET_BYTES, MOST_ASSET_REQUESTS = 150_000, 10
MOST_OVERVIEW_SECONDS, MOST_CHANGE_SECONDS, MOST_JOB_SECONDS = 1.5, 1, 2.5
MOST_ELEMENTS, MOST_FETCHED, MOST_ANSWER, MOST_ANSWER_SECONDS, MOST_TASK = 5_000, 600_000, 300_000, 1, 0.2
# Gathers the tasks of the main thread that take long, from the beginning of the page on.
NOTE_TASKS = """
globalThis.longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({startTime, duration}) => [startTime, duration])))
  .observe({entryTypes: ["longtask"]});
"""
RESOURCES = """() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind)).map(
  ({name, decodedBodySize, requestStart, responseEnd}) => ({name, bytes: decodedBodySize, seconds: (responseEnd - requestStart) / 1000}))"""


def run(report, options):
    with Cluster(workers=2, slots=2) as cluster, Browser(cluster, report) as browser:
        overview(cluster, browser, report, 3 if options.short else 7)
        change(cluster, browser, report, 3 if options.short else 7)
        large(cluster, browser, report, 100_000 if options.short else 1_000_000)
        cluster.check_health(report)


@contextlib.contextmanager
def opened(browser, name, path):
    """Opens an address in a browser that knows nothing; gives the tab, and how long it took to be ready."""
    with browser.tab(name) as tab:
        tab.context.add_init_script(NOTE_TASKS)
        begin = time.monotonic()
        tab.open(path)
        yield tab, time.monotonic() - begin


def resources(tab):
    return [one for one in tab.evaluate(RESOURCES) if not one["name"].endswith("/live")]


def is_asset(one, cluster):
    return not one["name"].startswith(cluster.url + "/api/")


def overview(cluster, browser, report, rounds):
    """Opens the overview and the page of a small job in browsers that know nothing."""
    job = cluster.baton("submit", "--array", "1-50", "--", "sh", "-c", "test {} != 7").decode().strip()
    with contextlib.suppress(Failure):
        cluster.baton("wait", job)
    times = []
    for _ in range(rounds):
        with opened(browser, "overview", "/") as (_, seconds):
            times.append(seconds)
    report.limit("overview: ready", median(times), "s", most=MOST_OVERVIEW_SECONDS)
    assets = {}
    for path in ("/", f"/jobs/{job}", f"/jobs/{job}?view=timeline", f"/jobs/{job}?view=graph", f"/operations/{job}/1", "/workers"):
        with opened(browser, path, path) as (tab, _):
            found = [one for one in resources(tab) if is_asset(one, cluster)]
        assets |= {one["name"]: one["bytes"] for one in found if "/assets/" in one["name"]}
        report.limit(f"{path}: requests of files of the page", len(found), most=MOST_ASSET_REQUESTS)
    names = cluster.get("/").body.decode()
    report.expect("/assets/main.js" in names, "the page does not load its script")
    report.figure("files of the page that these views load", f"{sum(assets.values()):,} bytes in {len(assets)} files")
    report.limit("files of the page", sum(assets.values()) + len(names), "bytes", most=MOST_ASSET_BYTES)


def change(cluster, browser, report, rounds):
    """Submits a job while the overview is open, and waits for its row."""
    with browser.tab("a change", "/") as tab:
        tab.await_live()
        times = []
        for _ in range(rounds):
            job = cluster.baton("submit", "--hold", "--", "true").decode().strip()
            begin = time.monotonic()
            tab.page.locator(f'[data-table=unfinished-jobs] a[href="/jobs/{job}"]').first.wait_for()
            times.append(time.monotonic() - begin)
        report.limit("a change is seen in", median(times), "s", most=MOST_CHANGE_SECONDS)


def large(cluster, browser, report, size):
    """Opens the pages of large jobs, one finished and one running, and goes through their parts."""
    finished = job_of(cluster, size)
    cluster.baton("queue", "set", "large", "--max-concurrent", "2")
    running = cluster.baton("submit", "--queue", "large", "--array", f"1-{size}", "--", "sh", "-c", "sleep 0.05; test $(({} % 9)) != 0")
    for name, job in (("finished", finished), ("running", running.decode().strip())):
        with opened(browser, f"{name} job of {size:,}", f"/jobs/{job}") as (tab, seconds):
            found = resources(tab)
            report.limit(f"{name} job of {size:,}: ready", seconds, "s", most=MOST_JOB_SECONDS)
            report.limit("  fetched", sum(one["bytes"] for one in found), "bytes", most=MOST_FETCHED)
            ready = tab.evaluate("performance.now()")
            for view in ("timeline", "graph", "operations", "groups"):
                tab.page.locator(f'nav.tabs a[href*="{"view=" + view if view != "groups" else f"/jobs/{job}"}"]').first.click()
                tab.page.locator(f"section[data-view={view}]").wait_for()
                tab.page.wait_for_timeout(3_000)
                report.limit(f"  elements with {view}", tab.count("*"), most=MOST_ELEMENTS)
            answers = [one for one in resources(tab) if not is_asset(one, cluster)]
            largest = max(answers, key=lambda one: one["bytes"])
            slowest = max(answers, key=lambda one: one["seconds"])
            report.limit("  largest answer", largest["bytes"], f"bytes ({shown(largest, cluster)})", most=MOST_ANSWER)
            report.limit("  slowest answer", slowest["seconds"], f"s ({shown(slowest, cluster)})", most=MOST_ANSWER_SECONDS)
            tasks = [duration / 1000 for start, duration in json.loads(tab.evaluate("JSON.stringify(longTasks)")) if start > ready]
            report.limit("  longest task afterwards", max(tasks, default=0), "s", most=MOST_TASK)
    cluster.baton("cancel", running.decode().strip())


def shown(one, cluster):
    return one["name"].removeprefix(cluster.url + "/api/v1")
