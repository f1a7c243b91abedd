"""The views of a cluster with nothing in it."""


def check(browser, cluster):
    with browser.tab("empty cluster", "/") as tab:
        tab.await_live()
        text = tab.text('[data-part="begin"]') or ""
        for command in ("baton worker --slots 4", "baton submit -- echo hello"):
            tab.expect(command in text, f"the overview does not say how to begin with {command!r}: {text!r}")
        tab.expect(tab.field("slots") == "0 of 0", f"the overview shows {tab.field('slots')!r} slots")
        tab.expect("Nothing is running" in tab.text("main"), "the overview does not say that nothing is running")
        for path, sentence in (
            ("/jobs", "baton submit -- echo hello"),
            ("/workers", "baton worker --slots 4"),
            ("/queues", "There is no queue yet"),
            ("/search?q=x", "Nothing is found"),
        ):
            tab.open(path)
            tab.expect(sentence in tab.text("main"), f"{path} does not say {sentence!r} where there is nothing")
        tab.open("/")
        cluster.baton("submit", "--name", "first", "--", "true")
        tab.until_text("[data-table=unfinished-jobs]", "first", "the job that was submitted to an empty cluster")
        tab.until_text('[data-part="trouble"]', "could run.*baton worker", "what an operation without a worker needs")
