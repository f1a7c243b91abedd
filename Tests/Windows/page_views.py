"""Each view shows what the interface says."""

import re

from page_compare import agree, agree_rows, rows
from page_forms import between, done, duration, number, parts, percent, size, state


def check(browser, scene):
    with browser.tab("views", "/") as tab:
        overview(tab, scene)
        jobs(tab, scene)
        for job in (scene.running, scene.large, scene.steps, scene.sweep, scene.story, scene.mars):
            one_job(tab, scene, job)
        parts_of_job(tab, scene)
        workers(tab, scene)
        queues(tab, scene)
        search(tab, scene)


def job_row(job):
    counts = job["counts"]
    return [
        str(job["job"]),
        job["name"] or "",
        state(job),
        "",
        f"{number(done(counts))} of {number(size(counts))}",
        number(counts["failed"]),
    ]


def overview(tab, scene):
    tab.await_live()

    def expected():
        status = scene.get("/status")
        counts = status["counts"]
        buckets = scene.get("/throughput?seconds=60")["buckets"][-11:-1]
        rate = sum(bucket["succeeded"] + bucket["failed"] for bucket in buckets) / max(1, len(buckets))
        return {
            "slots": f"{counts['executing']} of {status['slots']}",
            "counts.executing": number(counts["executing"]),
            "counts.ready": number(counts["ready"]),
            "counts.pending": number(counts["pending"]),
            "finishedPerSecond": f"{rate:.2f}",
            # The cluster is younger than an hour.
            "failedLastHour": number(counts["failed"]),
            "workers": number(status["workers"]),
            "coordinator": status["coordinator"],
            "version": status["version"],
        }

    agree(tab, expected)
    unfinished = lambda: [job for job in scene.get("/jobs")["jobs"] if job["state"] != "finished"]
    agree_rows(tab, "unfinished-jobs", lambda: [job_row(job) for job in unfinished()])
    trouble = lambda: tab.text('[data-part="trouble"]') or ""
    for name in ("nightly", "first", f"job {scene.mars}: ", "zone=mars", f"job {scene.held}: "):
        tab.until(
            lambda: f"the overview does not name {name} among what needs somebody: {trouble()!r}",
            lambda: name in trouble(),
        )
    # Others execute, and will never give back so much.
    job = scene.submit("--name", "too-large", "--memory", "900T", "--", "true")
    tab.until("the overview does not name a job that asks for too much", lambda: f"job {job}: " in trouble())
    scene.cluster.baton("cancel", str(job))
    tab.until("the overview names a job that is cancelled", lambda: f"job {job}: " not in trouble())
    tab.expect(f"job {scene.running}: " not in trouble(), f"the overview names a job that goes on: {trouble()!r}")
    cut = tab.count("[data-table=unfinished-jobs] td.note[title*=mars]")
    tab.expect(cut == 1, "a cell that may be cut does not have its text as a title")
    tab.expect(tab.count("main svg.chart") == 1, "the overview has no chart")
    tab.one(".behind summary").click()
    tab.until("the table behind the chart is empty", lambda: rows(tab, "throughput"))
    minutes = sum(int(row[1].replace(",", "")) for row in rows(tab, "throughput"))
    succeeded = scene.get("/status")["counts"]["succeeded"]
    tab.expect(minutes == succeeded, f"the table behind the chart has {minutes} operations, not {succeeded}")


def jobs(tab, scene):
    tab.open("/jobs")
    agree_rows(tab, "jobs", lambda: [job_row(job) for job in scene.get("/jobs")["jobs"]])
    links = tab.count(f"[data-table=jobs] tbody tr a[href='/jobs/{scene.sweep}']")
    tab.expect(links == 2, f"{links} links of its row lead to a job, not its number and its name")


def one_job(tab, scene, job):
    tab.open(f"/jobs/{job}")

    def expected():
        document = scene.job(job)
        counts = document["counts"]
        finished = document["finishedAt"]
        return {
            **{f"counts.{name}": number(value) for name, value in parts(counts).items()},
            "counts.executing": number(counts["executing"]),
            "counts.failed": number(counts["failed"]),
            "progress": percent(document["progress"]),
            "etaSeconds": "done"
            if finished
            else "unknown yet"
            if document["etaSeconds"] is None
            else re.compile(r"(about (\d+[smhd] ?)+|less than 1s), at (\S+ )?\d\d:\d\d"),
            "elapsed": elapsed(document) if finished else re.compile(r"(\d+[hm] ?)?\d+(m|(\.\d)?s)"),
        }

    agree(tab, expected)
    document = scene.job(job)
    heading = tab.text("h1")
    tab.expect(heading == f"Job {job} · {document['name']}", f"job {job} has the heading {heading!r}")
    word = state(document)
    tab.until_text("main .head .state", f"^{word}$", f"the state of job {job}")
    title = tab.page.title()
    tab.expect(str(job) in title and word in title, f"the title of job {job} is {title!r}")
    groups = lambda: scene.get(f"/jobs/{job}/groups")["groups"]
    agree_rows(
        tab,
        "groups",
        lambda: [
            [group["name"] or "without a name", percent(done(group["counts"]) / group["size"]), number(group["size"])]
            for group in groups()
        ],
    )
    if document["counts"]["failed"]:
        failures_of_job(tab, scene, job)
    else:
        tab.expect(
            not tab.page.locator('[data-view="failures"]').is_visible(), f"job {job} shows failures and has none"
        )


def elapsed(job):
    """The time that a finished job took, with or without what is below a millisecond in its moments."""
    seconds = between(job["submittedAt"], job["finishedAt"])
    return re.compile("|".join(re.escape(duration(seconds + more)) for more in (-0.001, 0, 0.001)))


def failures_of_job(tab, scene, job):
    groups = scene.get(f"/jobs/{job}/failures")["failures"]
    shown = tab.texts('[data-view="failures"] > ol > li')
    tab.expect(len(shown) == len(groups), f"job {job} shows {len(shown)} of {len(groups)} groups of failures")
    for text, group in zip(shown, groups):
        for part in (group["message"], *group["stderr"].split("\n"), *(item or "" for item in group["items"])):
            tab.expect(part in text, f"a group of failures of job {job} does not have {part!r}: {text!r}")
        links = tab.count(f'[data-view="failures"] a[href^="/operations/{job}/"]')
        tab.expect(links >= len(group["operations"]), f"the failures of job {job} have only {links} links")


def parts_of_job(tab, scene):
    tab.open(f"/jobs/{scene.story}?view=operations")
    operations = scene.get(f"/jobs/{scene.story}/operations")["operations"]
    agree_rows(tab, "operations", lambda: [[one["operation"], one["name"], state(one)] for one in operations])
    tab.open(f"/jobs/{scene.running}")
    tab.until_text('[data-part="waiting"]', "19,978|19978", "what holds the rest of a running job up")


def workers(tab, scene):
    tab.open("/workers")
    agree_rows(
        tab,
        "workers",
        lambda: [
            [one["worker"], one["state"], one["host"] or "–", f"{one['executing']} of {one['slots']}"]
            for one in scene.get("/workers")["workers"]
        ],
    )
    for name in ("hall", "w1"):
        tab.open(f"/workers/{name}")

        def expected():
            document = scene.get(f"/workers/{name}")
            worker = document["worker"]
            return {
                "executing": f"{worker['executing']} of {worker['slots']}",
                "silentSeconds": re.compile(r"–|\d+s"),
                "succeeded": number(document["succeeded"]),
                "unsuccessful": number(document["unsuccessful"]),
                "pace": re.compile(r"–|like others in job \d+|[\d.]+ times as (slow|fast) as others in job \d+"),
            }

        agree(tab, expected)
        agree_rows(tab, "ended", lambda: [[one["operation"]] for one in scene.get(f"/workers/{name}")["ended"]])
    tab.open("/workers/hall")
    slots = tab.texts("main .slots li a")
    tab.expect(
        sorted(slots) == [f"{scene.running}/20", f"{scene.running}/21"], f"the slots of a busy worker show {slots}"
    )


def queues(tab, scene):
    tab.open("/queues")
    agree_rows(
        tab,
        "queues",
        lambda: [
            [
                one["queue"],
                "suspended" if one["suspended"] else "open",
                number(one["executing"]),
                "none" if one["maxConcurrent"] is None else number(one["maxConcurrent"]),
                number(one["count"] - one["executing"]),
            ]
            for one in scene.get("/queues")["queues"]
        ],
    )
    for name in ("nightly", "default", "web"):
        tab.open(f"/queues/{name}")

        def expected():
            queue = scene.get(f"/queues/{name}")
            return {
                "executing": number(queue["executing"]),
                "maxConcurrent": "none" if queue["maxConcurrent"] is None else number(queue["maxConcurrent"]),
                "waiting": number(queue["count"] - queue["executing"]),
                "oldest": re.compile(r"–" if queue["count"] == queue["executing"] else r"(\d+m )?\d+m?s"),
                "qos": queue["qos"] or "default",
            }

        agree(tab, expected)
        agree_rows(
            tab, "queue-operations", lambda: [[address] for address in scene.get(f"/queues/{name}")["operations"][:25]]
        )


def search(tab, scene):
    for text in ("sweep", f"{scene.story}/0", "hall", "fla", "nothing-is-called-so"):
        tab.open(f"/search?q={text}")
        results = lambda: scene.get(f"/search?q={text}")["results"]
        agree_rows(
            tab,
            "results",
            lambda: [[one["address"], one["kind"], one["name"] or "", one["state"] or ""] for one in results()],
        )
    tab.expect("Nothing is found" in tab.text("main"), "an empty search does not say so")
    tab.page.fill("#search input", "story")
    tab.press("Enter")
    tab.until_text("[data-table=results]", "story", "the results of a search by the field above")
    tab.one(f'[data-table=results] a[href="/jobs/{scene.story}"]').click()
    tab.await_view("job")
