"""Each action of each view: it asks, naming what and how many; it can be left; and what it does is shown and true."""

import re

FAILS_TWO_WAYS = 'case {} in 1|2|3) echo "no space" >&2; exit 5 ;; 4) exit 6 ;; esac'


def check(browser, scene):
    with browser.tab("actions", "/jobs") as tab:
        cancel_job(tab, scene)
        retry_job(tab, scene)
        one_operation(tab, scene)
        many_operations(tab, scene)
        many_jobs(tab, scene)
        queue(tab, scene)
        worker(tab, scene)
    with browser.tab("refused action", f"/jobs/{scene.mars}", expected=["status of 400"]) as tab:
        refused(tab, scene)


def act(tab, action, asks, reply, fill=None):
    """Leaves an action twice, and then does it; asks and reply are patterns of the question and of what is said afterwards."""
    for leave in (tab.leave, lambda: tab.press("Escape")):
        changes = acting(tab)
        tab.ask(action)
        leave()
        tab.until(f"the question before {action} stays open", lambda: tab.count("dialog") == 0)
        tab.expect(acting(tab) == changes, f"{action} was sent although it was left")
    question = tab.ask(action)
    tab.expect(re.search(asks, question), f"the question before {action} is {question!r}, without {asks!r}")
    if fill:
        fill()
    answer = tab.confirm()
    tab.expect(re.search(reply, answer), f"the reply to {action} is {answer!r}, without {reply!r}")
    tab.expect(len(acting(tab)) == len(changes) + 1, f"{action} was sent {len(acting(tab)) - len(changes)} times")
    return answer


def acting(tab):
    return [request for request in tab.requests if not request.startswith("GET ")]


def cancel_job(tab, scene):
    job, pipe = scene.following("doomed", "--array", "1-4%1")
    with pipe:
        scene.await_counts(job, executing=1)
        tab.open(f"/jobs/{job}")
        tab.until("the executing operation is not shown", lambda: tab.field("counts.executing") == "1")
        act(
            tab,
            "cancel",
            rf"Cancel job {job} “doomed”\? 4 unfinished operations .* 1 executing now",
            "4 operations cancelled",
        )
        tab.until_text("main .head .state", "^cancelled$", "the state of a job that was cancelled")
        tab.expect(not tab.offers("cancel"), "a cancelled job can be cancelled again")
        tab.expect(scene.job(job)["outcome"] == "cancelled", "a job that was cancelled is not so")


def retry_job(tab, scene):
    job = scene.submit("--name", "misfit", "--array", "1-5", "--", "sh", "-c", FAILS_TWO_WAYS)
    scene.await_counts(job, failed=4, succeeded=1)
    tab.open(f"/jobs/{job}")
    for action, asks, size in (
        ("retry", "4 failed operations", 4),
        ("retry-group", "the 3 operations that failed alike", 3),
    ):
        answer = act(
            tab, action, rf"Retry {asks} of job {job}\?", rf"A new job has begun: job \d+, with {size} operations?\."
        )
        new = int(re.search(r"job (\d+)", answer)[1])
        tab.expect(scene.job(new)["retryOf"] == job, f"the new job {new} is no retry of job {job}")
        tab.expect(
            scene.job(new)["size"] == size, f"the new job {new} has {scene.job(new)['size']} operations, not {size}"
        )
        tab.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
        tab.until_text("main .facts", f"Retried as.*job {new}", "what the job says of its retry")
    tab.page.locator("#notice a").last.click()
    tab.until_text("h1", f"^Job {new}", "the page to which the reply leads")


def one_operation(tab, scene):
    job = scene.submit("--name", "alone", "--label", "zone=mars", "--", "true")
    address = f"{job}/0"
    document = lambda: scene.get(f"/operations/{address}")
    tab.open(f"/operations/{address}")
    act(tab, "hold", rf"Hold {address}\?", "It is held")
    tab.until_text('[data-field="state"]', "held$", "the state of a held operation")
    tab.expect(document()["held"], "an operation that was held is not so")
    act(tab, "release", rf"Release {address}\?", "It is released")
    tab.until_text('[data-field="state"]', "^ready$", "the state of a released operation")
    tab.expect(not document()["held"], "an operation that was released is held")
    act(
        tab,
        "priority",
        f"Priority of {address}",
        "The priority is set",
        lambda: tab.page.select_option("dialog select", label="high"),
    )
    tab.until_text("main .facts", "Priority high", "the priority of an operation")
    tab.expect(document()["priority"] == 4, f"the priority is {document()['priority']}, not 4")
    act(tab, "cancel", rf"Cancel {address}\?", "1 operation cancelled")
    tab.until_text('[data-field="state"]', "^cancelled$", "the state of a cancelled operation")
    tab.expect(document()["outcome"] == "cancelled", "an operation that was cancelled is not so")
    act(tab, "retry", rf"Retry {address}\?", r"A new job has begun: job \d+, with 1 operation\.")
    tab.expect(len(scene.job(job)["retriedAs"]) == 1, "an operation that was retried is in no new job")


def choose(tab, table, places):
    boxes = tab.page.locator(f"[data-table={table}] tbody input[type=checkbox]")
    boxes.last.wait_for()
    for place in places:
        boxes.nth(place).check()


def many_operations(tab, scene):
    job = scene.submit("--name", "crowd", "--label", "zone=mars", "--array", "1-6", "--", "true")
    tab.open(f"/jobs/{job}?view=operations")
    states = lambda: [(one["held"], one["outcome"]) for one in scene.get(f"/jobs/{job}/operations")["operations"]]
    tab.expect(tab.page.locator('[data-action="hold-chosen"]').is_disabled(), "actions on nothing can be pressed")
    choose(tab, "operations", (1, 3))
    act(tab, "hold-chosen", rf"Hold 2 operations\? {job}/1, {job}/3", "They are held")
    tab.expect([held for held, _ in states()] == [False, True, False, True, False, False], f"held are {states()}")
    tab.until(
        "held operations are not shown as such",
        lambda: (
            [text.endswith("held") for text in tab.texts("[data-table=operations] tbody td.note")]
            == [False, True, False, True, False, False]
        ),
    )
    tab.until("the choice outlives its action", lambda: tab.count("tbody input:checked") == 0)
    choose(tab, "operations", (3,))
    act(tab, "release-chosen", rf"Release 1 operation\? {job}/3", "They are released")
    tab.expect([held for held, _ in states()].count(True) == 1, f"held are {states()}")
    choose(tab, "operations", (0, 5))
    act(tab, "cancel-chosen", rf"Cancel 2 operations\? {job}/0, {job}/5", "2 operations cancelled")
    tab.expect([outcome for _, outcome in states()].count("cancelled") == 2, f"cancelled are {states()}")
    tab.until(
        "cancelled operations are not shown as such",
        lambda: tab.count("[data-table=operations] [data-state=cancelled]") == 2,
    )
    tab.page.get_by_role("button", name="Select all on this page").click()
    tab.expect(tab.count("tbody input:checked") == 6, f"{tab.count('tbody input:checked')} of 6 rows are chosen")
    act(tab, "cancel-chosen", r"Cancel 6 operations\?", "4 operations cancelled")
    tab.until("a job is not cancelled with all its operations", lambda: scene.job(job)["outcome"] == "cancelled")
    job = scene.submit("--name", "misfits", "--array", "1-4", "--", "false")
    scene.await_counts(job, failed=4)
    tab.open(f"/jobs/{job}?view=operations")
    choose(tab, "operations", (0, 2))
    act(
        tab,
        "retry-chosen",
        rf"Retry 2 operations\? {job}/0, {job}/2",
        r"A new job has begun: job \d+, with 2 operations",
    )


def many_jobs(tab, scene):
    jobs = [scene.submit("--name", name, "--label", "zone=mars", "--", "true") for name in ("one", "other", "third")]
    tab.open("/jobs")
    tab.until(
        "new jobs are not listed",
        lambda: tab.texts("[data-table=jobs] tbody th")[:3] == [str(job) for job in reversed(jobs)],
    )
    choose(tab, "jobs", (0, 2))
    act(tab, "cancel-chosen", rf"Cancel 2 jobs\? .*job {jobs[2]}, job {jobs[0]}", "2 operations cancelled")
    outcomes = [scene.job(job)["outcome"] for job in jobs]
    tab.expect(outcomes == ["cancelled", None, "cancelled"], f"the jobs end as {outcomes}")
    tab.until(
        "cancelled jobs are not shown as such",
        lambda: tab.texts("[data-table=jobs] tbody tr td:nth-child(3)")[:3] == ["cancelled", "ready", "cancelled"],
    )


def queue(tab, scene):
    scene.submit("--name", "desk-work", "--queue", "desk", "--label", "zone=mars", "--array", "1-3", "--", "true")
    document = lambda: scene.get("/queues/desk")
    tab.open("/queues/desk")
    act(tab, "suspend", r"Suspend queue desk\?", "It is suspended")
    tab.until_text("main .head .state", "^suspended$", "the state of a suspended queue")
    tab.expect(document()["suspended"], "a queue that was suspended is not so")
    act(tab, "resume", r"Resume queue desk\?", "It is resumed")
    tab.until_text("main .head .state", "^open$", "the state of a resumed queue")
    tab.expect(not document()["suspended"], "a queue that was resumed is suspended")
    for limit, shown, value in (("7", "7", 7), ("", "none", None)):

        def fill():
            tab.page.fill('dialog input[name="limit"]', limit)
            tab.page.select_option('dialog select[name="qos"]', "utility" if limit else "default")

        act(tab, "settings", "Settings of queue desk", "They are set", fill)
        tab.until(f"the limit {shown} is not shown", lambda: tab.field("maxConcurrent") == shown)
        tab.expect(document()["maxConcurrent"] == value, f"the limit is {document()['maxConcurrent']}, not {value}")
        quality = "utility" if limit else "default"
        tab.expect((document()["qos"] or "default") == quality, f"the quality is {document()['qos']}, not {quality}")
        tab.expect(tab.field("qos") == quality, f"the quality is shown as {tab.field('qos')!r}")
    act(tab, "cancel", r"Cancel all of queue desk\? 3 unfinished operations", "3 operations cancelled")
    tab.until("a cancelled queue is not shown as empty", lambda: tab.field("waiting") == "0")
    tab.expect(document()["count"] == 0, f"{document()['count']} operations are in a queue that was cancelled")


def worker(tab, scene):
    process = scene.start_worker("spare", slots=2)
    for _ in scene.cluster.await_until("the worker spare"):
        if any(one["worker"] == "spare" for one in scene.get("/workers")["workers"]):
            break
    document = lambda: scene.get("/workers/spare")["worker"]
    tab.open("/workers/spare")
    act(tab, "drain", r"Drain spare\? It gets nothing new\.", "spare gets nothing new")
    tab.until_text("main .head .state", "^draining$", "the state of a draining worker")
    tab.expect(document()["draining"], "a worker that was drained is not so")
    act(tab, "undrain", r"Let spare take operations again\?", "spare takes operations again")
    tab.until_text("main .head .state", "^alive$", "the state of a worker that takes operations again")
    tab.expect(not document()["draining"], "a worker is draining that takes operations again")
    act(tab, "stop", r"Stop spare\?", "spare leaves")
    tab.until_text("main .head .state", "^left$", "the state of a stopped worker")
    tab.expect(process.wait(60) == 0, f"the stopped worker ends with status {process.returncode}")
    scene.cluster.processes.remove(process)
    tab.expect(not tab.offers("stop") and not tab.offers("drain"), "a worker that has left is offered actions")


def refused(tab, scene):
    """What the server refuses is said in its own words."""
    tab.ask("cancel")
    scene.cluster.baton("cancel", str(scene.mars))
    answer = tab.confirm()
    tab.expect(
        "0 operations cancelled" in answer or "finished" in answer,
        f"the reply to a job that has ended meanwhile is {answer!r}",
    )
    tab.open("/queues/nightly")
    tab.ask("settings")
    tab.page.fill('dialog input[name="limit"]', "99999999999999")
    kind, answer = tab.reply_to(lambda: tab.one('dialog[open] [data-action="confirm"]').click())
    tab.expect(kind == "failed", f"a limit that is refused is answered by {answer!r}")
