"""Accessibility: axe on every view in both colour schemes, widths from 320 px to 4K, no motion where none is wanted, and no JavaScript."""

from axe_playwright_python.sync_playwright import Axe

WIDTHS = (320, 768, 1280, 3840)
# What is wider than the window, up to three of it.
WIDE = """() => [...document.querySelectorAll("body *")].filter((each) => each.getBoundingClientRect().right > innerWidth + 1
  && !each.closest(".scroll, .graph-view, .skip")).slice(0, 3).map((each) => each.outerHTML.slice(0, 120))"""
MOVING = """() => [...document.querySelectorAll("*")].filter((each) => { const style = getComputedStyle(each);
  return parseFloat(style.transitionDuration) > 0.001 || (style.animationName !== "none" && parseFloat(style.animationDuration) > 0.001); }).length"""


def check(browser, scene):
    for scheme in ("light", "dark"):
        # Only here is the policy not in force, so that axe can be put into the page.
        with browser.tab(
            f"axe, {scheme}", "/", color_scheme=scheme, bypass_csp=True, expected=[r"status of 404"]
        ) as tab:
            for path in addresses(scene):
                tab.open(path)
                silent(tab, path)
            dialogs(tab, scene)
    with browser.tab("widths", "/", expected=[r"status of 404"]) as tab:
        for path in addresses(scene):
            tab.open(path)
            widths(tab, path)
    with browser.tab("reduced motion", f"/jobs/{scene.running}", reduced_motion="reduce") as tab:
        moving = tab.evaluate(MOVING)
        tab.expect(moving == 0, f"{moving} elements move although no motion is wanted")
    with browser.tab("no JavaScript", java_script_enabled=False, expected=[r"assets/\w+\.js: csp"]) as tab:
        tab.open(f"/jobs/{scene.steps}", is_ready=False)
        tab.until_text(
            "noscript", "This page needs JavaScript.*/api/v1/status.*baton top", "what the page says without JavaScript"
        )
        tab.expect(
            tab.page.locator('noscript a[href="/api/v1/status"]').is_visible(),
            "no link leads to the status without JavaScript",
        )
    with browser.tab("token form", "/", token=None, bypass_csp=True, expected=[r"status of 401"]) as tab:
        silent(tab, "the form for a token")
        widths(tab, "the form for a token")


def addresses(scene):
    """An address of each view, of each part of a job, and of each kind of an operation."""
    parts = [
        f"/jobs/{job}{part}"
        for job in (scene.story, scene.large)
        for part in ("", "?view=timeline", "?view=graph", "?view=operations")
    ]
    operations = [
        f"/operations/{address}"
        for address in (
            f"{scene.steps}/2",
            f"{scene.story}/0",
            f"{scene.story}/1",
            f"{scene.lost}/0",
            f"{scene.mars}/0",
            f"{scene.running}/20",
            f"{scene.sweep}/sweep",
        )
    ]
    return [
        "/",
        "/jobs",
        *parts,
        f"/jobs/{scene.running}",
        f"/jobs/{scene.sweep}",
        *operations,
        "/workers",
        "/workers/hall",
        "/queues",
        "/queues/nightly",
        "/search?q=sweep",
        "/search?q=nothing-is-called-so",
        "/jobs/999",
    ]


def silent(tab, what):
    """Checks that axe finds nothing, and that the page says what it is."""
    tab.expect(tab.evaluate("document.documentElement.lang") == "en", f"{what} does not say its language")
    title = tab.page.title()
    tab.expect(title.endswith(" · Baton") and len(title) > 8, f"{what} has the title {title!r}")
    tab.expect(tab.count("h1") == 1, f"{what} has {tab.count('h1')} headings of the first level")
    # The tables behind charts are made when they are opened.
    tab.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
    found = Axe().run(tab.page).response["violations"]
    words = [
        f"{one['id']}: {[node['target'][0] for node in one['nodes'][:3]]} {one['nodes'][0]['failureSummary'][:200]!r}"
        for one in found
    ]
    tab.expect(not found, f"axe on {what}: {words}")


def dialogs(tab, scene):
    for path, action in (
        (f"/jobs/{scene.running}", "cancel"),
        (f"/operations/{scene.held}/0", "priority"),
        ("/queues/nightly", "settings"),
        ("/workers/w1", "stop"),
    ):
        tab.open(path)
        tab.ask(action)
        silent(tab, f"the question before {action} of {path}")
        tab.press("Escape")


def widths(tab, what):
    for width in WIDTHS:
        tab.page.set_viewport_size({"width": width, "height": 900})
        sizes = tab.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        tab.expect(
            sizes[0] <= sizes[1], f"{what} is {sizes[0]} px wide in a window of {width} px: {tab.evaluate(WIDE)}"
        )
