"""The page of the web interface in a real browser: views, actions, the live stream, hostile texts, keys and accessibility."""

import importlib

from browser import Browser
from cluster import Cluster, Failure
from page_scene import Scene
from playwright.sync_api import Error

# The parts in order: those that change the cluster come after those that look at it, and the last one kills the coordinator.
PARTS = (
    "empty",
    "views",
    "operations",
    "addresses",
    "tokens",
    "charts",
    "access",
    "keys",
    "hostile",
    "actions",
    "live",
)


def run(report, options):
    if options.part not in (None, *PARTS):
        raise Failure(f"The step page has the parts {', '.join(PARTS)}, and none called {options.part}.")
    chosen = [options.part] if options.part else PARTS
    if "empty" in chosen:
        with Cluster(workers=0) as cluster, Browser(cluster, report) as browser:
            run_part("empty", report, browser, cluster)
    if chosen == ["empty"]:
        return
    with Cluster(workers=2, slots=2, arguments=["--suspect-after", "2s", "--lost-after", "5s"]) as cluster:
        scene = Scene(cluster)
        with Browser(cluster, report) as browser:
            for part in chosen:
                if part != "empty":
                    run_part(part, report, browser, scene)
        cluster.check_health(report)


def run_part(part, report, browser, scene):
    """Runs a part; one that breaks does not keep others from running."""
    before = report.checks
    try:
        importlib.import_module(f"page_{part}").check(browser, scene)
    except (Failure, Error) as error:
        report.expect(False, f"{part} broke: {error}")
    report.figure(part, f"{report.checks - before} checks")
