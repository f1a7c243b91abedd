"""The page by keyboard alone: the order of stops, a focus that is seen, tables, dialogs, and every action of a job and of an operation."""

MOST_STOPS = 300
# The focused element: what it is, and whether its focus is seen; a node of a graph has a thick edge instead of an outline.
FOCUSED = """() => {
  const each = document.activeElement;
  const style = getComputedStyle(each);
  const edge = each.ownerSVGElement && each.querySelector("rect");
  const box = each.getBoundingClientRect();
  return {
    name: each.tagName.toLowerCase() + "." + [...each.classList].join("."), html: each.outerHTML.slice(0, 120),
    text: each.textContent.trim(), action: each.dataset.action ?? null, isBody: each === document.body,
    isSeen: (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) || (edge && parseFloat(getComputedStyle(edge).strokeWidth) >= 3),
    isInside: box.width > 0 && box.height > 0 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
  };
}"""
ACTIONS = "[...document.querySelectorAll('main [data-action]')].filter((each) => each.checkVisibility() && !each.disabled).map((each) => each.dataset.action)"

# What Tab reaches of a table.
STOPS = """(name) => [...document.querySelectorAll(`[data-table="${name}"] tbody :is(a, button, input, select, [tabindex])`)]
  .filter((each) => each.tabIndex >= 0).map((each) => each.outerHTML.slice(0, 80))"""


def check(browser, scene):
    with browser.tab("keys", "/") as tab:
        skip_link(tab)
        for path in (
            "/",
            "/jobs",
            f"/jobs/{scene.sweep}",
            f"/jobs/{scene.story}?view=timeline",
            f"/jobs/{scene.story}?view=graph",
            f"/jobs/{scene.story}?view=operations",
            f"/operations/{scene.story}/0",
            f"/operations/{scene.held}/0",
            "/workers",
            "/workers/w1",
            "/queues",
            "/queues/nightly",
            "/search?q=s",
        ):
            stops(tab, path)
        tables(tab, scene)
        search(tab)
        focus_stays(tab, scene)
        dialogs(tab, scene)
        actions_of_job(tab, scene)
        actions_of_operation(tab, scene)


def focused(tab):
    return tab.evaluate(FOCUSED)


def skip_link(tab):
    tab.press("Tab")
    first = focused(tab)
    tab.expect(
        first["name"] == "a.skip" and first["isInside"],
        f"the first stop is not the skip link, to be seen: {first['html']}",
    )
    tab.press("Enter")
    tab.until(
        "the skip link does not lead to the content", lambda: tab.evaluate("document.activeElement.id === 'main'")
    )
    tab.press("Tab")
    tab.expect(
        tab.evaluate("document.querySelector('main').contains(document.activeElement)"),
        "the stop after the skip link is not in the content",
    )


def stops(tab, path):
    """Goes through all stops of a view, and checks that each is seen, and that each action is among them."""
    tab.open(path)
    reached = []
    for _ in range(MOST_STOPS):
        tab.press("Tab")
        stop = focused(tab)
        if stop["isBody"] or (reached and stop["name"] == "a.skip"):
            break
        reached.append(stop)
    tab.expect(1 < len(reached) < MOST_STOPS, f"{path} has {len(reached)} stops")
    unseen = [stop["html"] for stop in reached if not (stop["isSeen"] and stop["isInside"])]
    tab.expect(not unseen, f"the focus of {path} is not seen on {len(unseen)} of {len(reached)} stops: {unseen[:3]}")
    missing = set(tab.evaluate(ACTIONS)) - {stop["action"] for stop in reached}
    tab.expect(not missing, f"the actions {missing} of {path} are not reached by Tab")


def tables(tab, scene):
    for path, table in (
        ("/jobs", "jobs"),
        (f"/jobs/{scene.large}?view=operations", "operations"),
        ("/workers", "workers"),
        ("/queues", "queues"),
    ):
        tab.open(path)
        tab.page.locator(f"[data-table={table}] tbody th a").first.wait_for()
        found = tab.evaluate(STOPS, table)
        tab.expect(len(found) == 1, f"the table {table} of {path} has {len(found)} tab stops, not one")
        tab.expect(found[0].startswith("<a"), f"the tab stop of the table {table} is no link of a row: {found[0]}")
        links = tab.texts(f"[data-table={table}] tbody th a")
        tab.page.locator(f"[data-table={table}] tbody th a").first.focus()
        for key, place in (
            ("ArrowDown", 1),
            ("ArrowDown", 2),
            ("ArrowUp", 1),
            ("End", -1),
            ("ArrowDown", -1),
            ("Home", 0),
            ("ArrowUp", 0),
        ):
            tab.press(key)
            tab.expect(
                focused(tab)["text"] == links[place],
                f"{key} in the table {table} leads to {focused(tab)['text']!r}, not {links[place]!r}",
            )
    tab.press("ArrowDown")
    link = focused(tab)["text"]
    tab.press("Enter")
    tab.await_view("queue")
    tab.expect(link in tab.text("h1"), f"Enter on {link!r} leads to {tab.text('h1')!r}")
    choose_by_keys(tab, scene)


def choose_by_keys(tab, scene):
    """Rows are chosen without a mouse as well."""
    tab.open(f"/jobs/{scene.nightly}?view=operations")
    tab.page.locator("[data-table=operations] tbody th a").first.focus()
    tab.press("ArrowDown", "Space")
    chosen = tab.evaluate(
        "[...document.querySelectorAll('[data-table=operations] tbody input')].map((each) => each.checked)"
    )
    tab.expect(chosen == [False, True, False, False], f"Space on the second row chooses {chosen}")


def search(tab):
    is_there = lambda: tab.evaluate("document.activeElement === document.querySelector('#search input')")
    for path in ("/", "/workers/w1"):
        tab.open(path)
        tab.press("/")
        tab.expect(is_there(), f"the key / does not lead to the search of {path}")
    tab.page.keyboard.type("a/b")
    tab.expect(tab.page.input_value("#search input") == "a/b", "a / is not typed into the search")
    tab.press("Escape")
    tab.expect(not is_there(), "Esc does not lead out of the search")
    tab.press("/")
    tab.page.keyboard.type("hall")
    tab.press("Enter")
    tab.await_view("search")
    # A key alone is a shortcut that can be switched off (WCAG 2.1.4), for later visits as well.
    tab.page.get_by_label("The key / leads to the search").uncheck()
    for path in ("/search", "/workers"):
        tab.open(path)
        tab.press("/")
        tab.expect(not is_there(), f"the key / leads to the search of {path}, although it is switched off")
    tab.one("#search input").focus()
    tab.press("Enter")
    tab.await_view("search")
    tab.page.get_by_label("The key / leads to the search").check()
    tab.open("/workers")
    tab.press("/")
    tab.expect(is_there(), "the key / does not lead to the search once it is switched on again")


def focus_stays(tab, scene):
    """What has the focus keeps it when the list around it is made anew."""

    def remake(what, selector, change):
        link = tab.page.locator(selector).first
        link.evaluate("(each) => { each.isOld = true; each.focus(); }")
        change()
        tab.until(f"{what} are not made anew", lambda: not link.evaluate("(each) => each.isOld === true"))
        tab.expect(link.evaluate("(each) => each === document.activeElement"), f"{what} lose the focus")

    tab.open("/")
    tab.await_live()
    remake(
        "the troubles of the overview",
        '[data-part="trouble"] a[href="/queues/nightly"]',
        lambda: scene.cluster.baton("submit", "--queue", "nightly", "--", "true"),
    )
    job = scene.submit_graph(
        "neighbours", [{"name": "first", "command": ["true"], "hold": True}, {"name": "second", "command": ["true"], "needs": ["first"]}]
    )
    tab.open(f"/operations/{job}/1")
    tab.await_live()
    remake(
        "the neighbours of an operation",
        f'main .columns a[href="/operations/{job}/0"]',
        lambda: scene.cluster.baton("priority", f"{job}/1", "4"),
    )
    scene.cluster.baton("cancel", str(job))
    tab.open(f"/jobs/{scene.large}?view=operations")
    following = tab.page.locator('main a[data-field="next"]')
    for page in range(2):
        before = following.get_attribute("href")
        following.focus()
        tab.press("Enter")
        tab.until("the link to the next page stays", lambda: following.get_attribute("href") != before)
        tab.expect(
            tab.evaluate("document.activeElement.dataset.field === 'next'"),
            f"the focus is lost with page {page + 2} of a list, to {focused(tab)['html']}",
        )


def dialogs(tab, scene):
    tab.open("/queues/nightly")
    reach(tab, "settings")
    tab.press("Enter")
    tab.one("dialog[open]")
    for _ in range(8):
        tab.press("Tab")
        inside = tab.evaluate(
            "document.querySelector('dialog').contains(document.activeElement) || document.activeElement === document.body"
        )
        tab.expect(inside, f"Tab leads out of an open question, to {focused(tab)['html']}")
    tab.press("Escape")
    tab.until("Esc does not close a question", lambda: tab.count("dialog") == 0)
    tab.expect(
        focused(tab)["action"] == "settings", f"the focus returns to {focused(tab)['html']} instead of the button"
    )
    tab.press("Enter")
    tab.one("dialog[open] input").focus()
    tab.page.keyboard.press("Control+a")
    tab.page.keyboard.type("5")
    reply = tab.reply_to(lambda: tab.press("Enter"))
    tab.expect(reply == ["done", "They are set."], f"the reply to Enter in a question is {reply}")
    limit = scene.get("/queues/nightly")["maxConcurrent"]
    tab.expect(limit == 5, f"Enter in the settings sets the limit to {limit}, not 5")
    tab.until("the new limit is not shown", lambda: tab.field("maxConcurrent") == "5")


def reach(tab, action):
    """Goes by Tab to the button of an action."""
    tab.until(f"there is no action {action}", lambda: tab.offers(action))
    for _ in range(MOST_STOPS):
        if focused(tab)["action"] == action:
            return
        tab.press("Tab")
    tab.expect(False, f"the action {action} is not reached by Tab")


def act(tab, action, choose=()):
    """Does an action by keys; choose are keys for the field of the question."""
    reach(tab, action)
    tab.press("Enter")
    tab.one("dialog[open]")
    if choose:
        tab.one("dialog[open] select").focus()
        tab.press(*choose)
    reach(tab, "confirm")
    kind, answer = tab.reply_to(lambda: tab.press("Enter"))
    tab.expect(kind == "done", f"{action} is refused: {answer!r}")


def actions_of_job(tab, scene):
    job = scene.submit("--name", "by-keys", "--array", "1-3", "--", "sh", "-c", "exit {}")
    scene.await_counts(job, failed=3)
    tab.open(f"/jobs/{job}")
    for number, action in enumerate(("retry", "retry-group"), 1):
        act(tab, action)
        tab.until(f"{action} by keys makes no new job", lambda: len(scene.job(job)["retriedAs"]) == number)
    job = scene.submit("--name", "by-keys", "--label", "zone=mars", "--", "true")
    tab.open(f"/jobs/{job}")
    act(tab, "cancel")
    tab.until("a job is not cancelled by keys", lambda: scene.job(job)["outcome"] == "cancelled")


def actions_of_operation(tab, scene):
    address = f"{scene.submit('--name', 'by-keys', '--label', 'zone=mars', '--', 'true')}/0"
    document = lambda: scene.get(f"/operations/{address}")
    tab.open(f"/operations/{address}")
    act(tab, "hold")
    tab.until("an operation is not held by keys", lambda: document()["held"])
    act(tab, "release")
    tab.until("an operation is not released by keys", lambda: not document()["held"])
    act(tab, "priority", choose=("Home",))
    tab.until("the priority is not set by keys", lambda: document()["priority"] == 8)
    act(tab, "cancel")
    tab.until("an operation is not cancelled by keys", lambda: document()["outcome"] == "cancelled")
    act(tab, "retry")
    tab.until("an operation is not retried by keys", lambda: scene.job(address.split("/")[0])["retriedAs"])
