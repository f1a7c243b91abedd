"""Addresses: filters, parts, and pages of lists are in them, a reload and a way back show the same; and what is not found."""

import re

NOT_FOUND = r"console, error: Failed to load resource: the server responded with a status of 404"


def check(browser, scene):
    with browser.tab("addresses", "/jobs") as tab:
        job_filters(tab, scene)
        operation_filters(tab, scene)
        parts(tab, scene)
        links(tab, scene)
    not_found(browser, scene)


def rows(tab):
    return [re.split(r"\s", text)[0] for text in tab.texts("main [data-table] tbody tr")]


def stays(tab, what):
    """Checks that a reload and a new tab with the same address show the same rows."""
    before, path = rows(tab), tab.path
    tab.page.reload()
    tab.await_ready()
    tab.until(lambda: f"{what}: {rows(tab)[:4]} after a reload, not {before[:4]}", lambda: rows(tab) == before)
    tab.expect(tab.path == path, f"{what}: the address is {tab.path!r} after a reload, not {path!r}")


def await_rows(tab, what, wanted):
    wanted = [str(one) for one in wanted]
    tab.until(lambda: f"{what}: the rows are {rows(tab)[:6]}, not {wanted[:6]}", lambda: rows(tab) == wanted)


def job_filters(tab, scene):
    everything = rows(tab)
    failed = [job["job"] for job in scene.get("/jobs?outcome=failed")["jobs"]]
    tab.page.select_option('select[aria-label="State"]', label="failed")
    await_rows(tab, "jobs that failed", failed)
    tab.expect("outcome=failed" in tab.path, f"the filter is not in the address {tab.path!r}")
    stays(tab, "jobs that failed")
    tab.expect(
        tab.page.input_value('select[aria-label="State"]') == "outcome=failed", "the filter is not shown after a reload"
    )
    tab.page.fill('input[name="name"]', "st*")
    tab.press("Enter")
    await_rows(tab, "jobs that failed with a name in st*", [scene.story])
    tab.page.go_back()
    await_rows(tab, "jobs that failed, on the way back", failed)
    tab.expect(tab.page.input_value('input[name="name"]') == "", "a filter is still shown on the way back")
    tab.page.go_back()
    await_rows(tab, "all jobs, on the way back", everything)
    tab.page.go_forward()
    await_rows(tab, "jobs that failed, on the way forward", failed)
    tab.page.get_by_role("link", name="All", exact=True).click()
    await_rows(tab, "all jobs", everything)
    tab.open("/jobs?tag=model%3Dsmall")
    await_rows(tab, "jobs with a tag", [scene.sweep])
    tab.open("/jobs?state=executing&state=ready")
    await_rows(
        tab, "jobs in two states", [job["job"] for job in scene.get("/jobs?state=executing&state=ready")["jobs"]]
    )


def operation_filters(tab, scene):
    job = scene.sweep
    tab.open(f"/jobs/{job}?view=operations")
    await_rows(tab, "operations", [f"{job}/{index}" for index in range(5)])
    tab.page.select_option('select[aria-label="State"]', label="failed")
    await_rows(tab, "operations that failed", [f"{job}/{index}" for index in (1, 3, 4)])
    stays(tab, "operations that failed")
    tab.page.go_back()
    await_rows(tab, "operations, on the way back", [f"{job}/{index}" for index in range(5)])
    tab.page.locator(".legend a", has_text="succeeded").click()
    await_rows(tab, "operations that succeeded, by the legend", [f"{job}/{index}" for index in (0, 2)])
    job = scene.large
    tab.open(f"/jobs/{job}?view=operations")
    await_rows(tab, "the first page", [f"{job}/{index}" for index in range(100)])
    tab.one('[data-field="next"]').click()
    await_rows(tab, "the second page", [f"{job}/{index}" for index in range(100, 200)])
    stays(tab, "the second page")
    tab.page.go_back()
    await_rows(tab, "the first page, on the way back", [f"{job}/{index}" for index in range(100)])
    tab.open(f"/jobs/{job}?view=operations&from=19990")
    await_rows(tab, "the last page", [f"{job}/{index}" for index in range(19_990, 20_000)])
    tab.expect(tab.count('[data-field="next"]') == 0, "the last page has a next one")


def parts(tab, scene):
    job = scene.sweep
    tab.open(f"/jobs/{job}")
    for name in ("timeline", "graph", "operations", "groups"):
        tab.page.locator("nav.tabs a", has_text=name.capitalize()).click()
        tab.one(f'[data-view="{name}"]').wait_for()
        tab.expect(
            name == "groups" or f"view={name}" in tab.path, f"the part {name} is not in the address {tab.path!r}"
        )
        current = tab.texts('nav.tabs a[aria-current="page"]')
        tab.expect(current == [name.capitalize()], f"the current part is {current}, not {name}")
    tab.page.go_back()
    tab.one('[data-view="operations"]').wait_for()
    tab.open(f"/jobs/{job}")
    tab.page.select_option("#groups-by", "worker")
    tab.until_text("[data-table=groups] caption", "by worker", "groups by worker")
    tab.expect("by=worker" in tab.path, f"the kind of groups is not in the address {tab.path!r}")
    workers = [group["name"] for group in scene.get(f"/jobs/{job}/groups?by=worker")["groups"]]
    await_rows(tab, "groups by worker", workers)
    stays(tab, "groups by worker")
    tab.page.locator("[data-table=groups] tbody a").first.click()
    tab.one('[data-view="operations"]').wait_for()
    tab.expect(f"worker={workers[0]}" in tab.path, f"a group leads to {tab.path!r}")
    shown = [one["operation"] for one in scene.get(f"/jobs/{job}/operations?worker={workers[0]}")["operations"]]
    await_rows(tab, "operations of a worker", shown)


def links(tab, scene):
    """Views lead to each other without loading the page again."""
    tab.open("/")
    tab.evaluate("globalThis.isSamePage = true")
    for step, view in (
        ("header nav a[href='/jobs']", "jobs"),
        (f"a[href='/jobs/{scene.sweep}']", "job"),
        (f"a[href='/operations/{scene.sweep}/3']", "operation"),
        ("a[href^='/workers/w']", "worker"),
        ("header nav a[href='/queues']", "queues"),
        ("a[href='/queues/nightly']", "queue"),
        ("header nav a[href='/']", "overview"),
    ):
        tab.page.locator(step).first.click()
        tab.await_view(view)
    for view in ("queue", "queues", "worker", "operation", "job", "jobs", "overview"):
        tab.page.go_back()
        tab.await_view(view)
    tab.expect(tab.evaluate("globalThis.isSamePage"), "the page was loaded again on the way")
    tab.expect(tab.path == "/", f"the way back ends at {tab.path!r}")


def not_found(browser, scene):
    with browser.tab("not found", expected=[NOT_FOUND]) as tab:
        tab.open("/jobs")
        for path in (
            "/jobs/999",
            "/jobs/nobody",
            f"/operations/{scene.steps}/99",
            "/operations/999/0",
            "/workers/nobody",
            "/queues/nothing",
        ):
            tab.open(path)
            tab.expect(tab.text("h1") == "Not found", f"{path} has the heading {tab.text('h1')!r}")
            tab.expect("Not found" in tab.page.title(), f"{path} has the title {tab.page.title()!r}")
            message = scene.cluster.get("/api/v1" + path).json["error"]["message"]
            tab.expect(message in tab.text("main"), f"{path} does not say {message!r}")
        for path in ("/nowhere", "/jobs/1/2/3", "/assets/nothing.js", "/operations/1"):
            status = scene.cluster.get(path).status
            tab.expect(status == 404, f"the server answers {path} with {status}")
