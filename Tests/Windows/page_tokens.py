"""Who has no token, a wrong one, or one that only reads; and where the token stays."""

# Buttons that change nothing; whoever may only read is offered no others.
READING = {"trace", "raw-log", "result"}
# What the browser itself notes about a request that was refused; the page says it in its own words.
REFUSED = r"console, error: Failed to load resource: the server responded with a status of 40[13]"


def check(browser, scene):
    kept(browser, scene)
    none(browser, scene)
    viewer(browser, scene)


def kept(browser, scene):
    """The token stays in the tab alone: not in its address, and not in its history."""
    with browser.tab("token", f"/jobs/{scene.sweep}") as tab:
        tab.expect(tab.path == f"/jobs/{scene.sweep}", f"the address is {tab.path!r} after the token was taken from it")
        tab.page.reload()
        tab.await_ready()
        tab.open("/workers")
        entries = tab.context.new_cdp_session(tab.page).send("Page.getNavigationHistory")["entries"]
        addresses = [entry["url"] for entry in entries]
        tab.expect(tab.token not in str(addresses), "the token is in the history of the tab")
        tab.expect(
            not any(tab.token in request for request in tab.requests), "the token is in the address of a request"
        )
        stored = tab.evaluate("[JSON.stringify({...localStorage}), document.cookie]")
        tab.expect(stored == ["{}", ""], f"the page keeps {stored} beyond the tab")
        # An address with a token, opened in a tab that shows the page already.
        tab.evaluate("(token) => { location.hash = `token=${token}`; }", tab.token)
        tab.until("a token stays in the address of an open tab", lambda: tab.token not in tab.page.url)


def none(browser, scene):
    with browser.tab("no token", token=None, expected=[REFUSED]) as tab:
        for path in (
            "/",
            "/jobs",
            f"/jobs/{scene.steps}",
            f"/operations/{scene.steps}/0",
            "/workers",
            "/workers/w1",
            "/queues",
            "/queues/web",
            "/search?q=a",
        ):
            tab.open(path)
            tab.expect(tab.count("form.token input") == 1, f"{path} does not ask for a token")
            tab.expect(tab.count("[data-action]") == 0, f"{path} offers actions without a token")
            tab.expect("baton dashboard" in tab.text("main"), f"{path} does not say where a token comes from")
            tab.expect("token" in tab.page.title().lower(), f"the title of {path} is {tab.page.title()!r}")
        tab.open(f"/jobs/{scene.sweep}")
        tab.page.fill("form.token input", "A" * 43)
        tab.press("Enter")
        tab.until(
            "a wrong token is not refused in words",
            lambda: "token" in (tab.text("#why") or "") and "answers to whoever" not in tab.text("#why"),
        )
        tab.expect(tab.count("[data-action]") == 0, "actions are offered with a wrong token")
        tab.page.fill("form.token input", f"  {scene.cluster.token} ")
        tab.press("Enter")
        tab.until_text("h1", f"^Job {scene.sweep}", "the page after the right token")
        tab.until("no action is offered after the right token", lambda: tab.offers("retry"))
        tab.expect(scene.cluster.token not in tab.page.url, "the token that was typed is in the address")


def viewer(browser, scene):
    token = scene.cluster.baton("authorize", "--role", "viewer", "--http", "watcher").decode().split()[-1]
    with browser.tab("viewer", "/", token=token, expected=[REFUSED]) as tab:
        tab.await_live()
        for path in (
            "/",
            "/jobs",
            f"/jobs/{scene.sweep}",
            f"/jobs/{scene.sweep}?view=operations",
            f"/jobs/{scene.running}",
            f"/operations/{scene.story}/0",
            f"/operations/{scene.held}/0",
            "/workers",
            "/workers/w1",
            "/queues",
            "/queues/nightly",
        ):
            tab.open(path)
            tab.expect(tab.count("form.token") == 0, f"{path} asks a viewer for another token")
            actions = set(
                tab.evaluate("[...document.querySelectorAll('[data-action]')].map((each) => each.dataset.action)")
            )
            tab.expect(actions <= READING, f"{path} offers a viewer {actions - READING}")
            tab.expect(tab.count("tbody input[type=checkbox]") == 0, f"{path} lets a viewer choose rows")
        scene.cluster.baton("revoke", "watcher")
        tab.open("/jobs")
        tab.expect(tab.count("form.token") == 1, "a token that was revoked is not asked for again")
