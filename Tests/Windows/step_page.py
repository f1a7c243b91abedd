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
    "trouble",
    "live",
)
# Parts with clusters of their own.
APART = ("pictures", "budgets")


def run(report, options):
    parts = (*PARTS, *APART)
    if options.part not in (None, *parts):
        raise Failure(f"The step page has the parts {', '.join(parts)}, and none called {options.part}.")
    chosen = [options.part] if options.part else parts
    run_together([part for part in chosen if part in PARTS], report)
    for part in chosen:
        if part in APART:
            importlib.import_module(f"page_{part}").run(report, options)


def run_together(chosen, report):
    """Runs parts that share a cluster, but for the one that needs an empty cluster."""
    if "empty" in chosen:
        with Cluster(workers=0) as cluster, Browser(cluster, report) as browser:
            run_part("empty", report, browser, cluster)
    if chosen in ([], ["empty"]):
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
