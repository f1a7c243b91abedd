"""The story of one operation, in each state it can be in."""

import re

from page_forms import state

ENDS = {"givenBack": "given back"}


def check(browser, scene):
    with browser.tab("operations", "/jobs") as tab:
        succeeded(tab, scene)
        failed(tab, scene)
        skipped(tab, scene)
        waiting(tab, scene)
        lost(tab, scene)
        array(tab, scene)
        executing(tab, scene)


def open_operation(tab, scene, address):
    """Opens an operation, and compares what is the same in each state; returns the document of the interface."""
    tab.open(f"/operations/{address}")
    document = scene.get(f"/operations/{address}")
    word = state(document) + (", held" if document["held"] and document["state"] != "finished" else "")
    tab.until(lambda: f"{address} is shown as {tab.field('state')!r}, not {word!r}", lambda: tab.field("state") == word)
    heading = f"{document['operation']} · {document['name']}" + (f" ({document['item']})" if document["item"] else "")
    tab.expect(tab.text("h1") == heading, f"the heading of {address} is {tab.text('h1')!r}, not {heading!r}")
    title = tab.page.title()
    tab.expect(document["operation"] in title and state(document) in title, f"the title of {address} is {title!r}")
    command = tab.text('pre[aria-label="Command"]')
    tab.expect(
        all(word in command for word in document["command"][0].split()), f"{address} has the command {command!r}"
    )
    attempts = scene.get(f"/operations/{address}/attempts")["attempts"]
    shown = tab.texts("[data-part=attempts] li[data-attempt]")
    tab.expect(len(shown) == len(attempts), f"{address} shows {len(shown)} of {len(attempts)} attempts")
    for text, attempt in zip(shown, attempts):
        end = ENDS.get(attempt["end"], attempt["end"])
        for part in (f"Attempt {attempt['attempt']} {end}", attempt["worker"], attempt["message"] or ""):
            tab.expect(part in text, f"the story of {address} does not have {part!r}: {text!r}")
    return document


def sentence(tab):
    return tab.text("main .sentence")


def neighbours(tab):
    """The addresses that the operation waits for and is needed by."""
    return tab.texts("main .columns > div a")


def succeeded(tab, scene):
    job = scene.steps
    open_operation(tab, scene, f"{job}/0")
    tab.expect(re.match(r"It succeeded .+ ago on w\d after \d+", sentence(tab)), f"the sentence is {sentence(tab)!r}")
    tab.until_text("pre.log", "^fetched red plain$", "the output")
    red = tab.texts("pre.log .ink-1")
    tab.expect(red == ["red"], f"the red part of the output is {red}")
    tab.until(lambda: f"the neighbours are {neighbours(tab)}", lambda: neighbours(tab) == [f"{job}/1"])
    open_operation(tab, scene, f"{job}/1")
    tab.until(lambda: f"the neighbours are {neighbours(tab)}", lambda: neighbours(tab) == [f"{job}/0", f"{job}/2"])
    content = tab.download(tab.one('[data-action="result"]'))
    tab.expect(content == b"42\n", f"the saved result is {content!r}")
    open_operation(tab, scene, f"{job}/2")
    tab.until_text("pre.log", "2000$", "the end of a long output")
    tab.page.fill('[data-part=log] input[aria-label="Search the output"]', "199")
    tab.until_text("[data-part=log] [role=status]", "^12 matches$", "the search of an output for 199")
    marked = tab.texts("pre.log mark")
    tab.expect(set(marked) == {"199"}, f"the search of an output marks {marked}")
    content = tab.download(tab.one('[data-action="raw-log"]'))
    tab.expect(
        content == b"".join(b"%d\n" % line for line in range(1, 2001)), "the saved output is not what was printed"
    )


def failed(tab, scene):
    document = open_operation(tab, scene, f"{scene.story}/0")
    tab.expect(document["message"] in sentence(tab), f"the sentence of a failure is {sentence(tab)!r}")
    tab.expect(
        "at attempt 3" in sentence(tab), f"the sentence of a failure does not name the attempt: {sentence(tab)!r}"
    )
    tab.until_text("pre.log", "^attempt 3$", "the error output of a failure")
    tab.page.select_option('[data-part=log] select[aria-label="Attempt"]', "1")
    tab.until_text("pre.log", "^attempt 1$", "the error output of the first attempt")
    tab.page.select_option('[data-part=log] select[aria-label="Stream"]', "stdout")
    tab.until_text("pre.log", "Nothing was written to stdout", "an empty output")
    open_operation(tab, scene, f"{scene.sweep}/3")
    tab.expect("signal 9" in sentence(tab), f"the sentence of an operation that a signal ended is {sentence(tab)!r}")


def skipped(tab, scene):
    for index, part in ((1, f"It was skipped .* The cause is {scene.story}/0"), (3, "It was not needed")):
        open_operation(tab, scene, f"{scene.story}/{index}")
        tab.expect(re.search(part, sentence(tab)), f"the sentence of {scene.story}/{index} is {sentence(tab)!r}")
        tab.expect(
            "It never ran" in tab.text("[data-part=attempts]"), f"{scene.story}/{index} does not say that it never ran"
        )


def waiting(tab, scene):
    for job, reason in ((scene.mars, "its labels do not meet zone=mars"), (scene.held, "held"), (scene.nightly, "suspended")):
        open_operation(tab, scene, f"{job}/0")
        tab.until_text("[data-part=explain]", reason, f"why {job}/0 does not run")
        tab.expect("has not run" in tab.text("pre.log"), f"the output does not say that {job}/0 has not run")
        kinds = sorted(reason["kind"] for reason in scene.get(f"/operations/{job}/0/explain")["waitsFor"])
        shown = lambda: sorted(
            tab.evaluate(
                "[...document.querySelectorAll('[data-part=explain] li[data-kind]')].map((each) => each.dataset.kind)"
            )
        )
        tab.until(lambda: f"the reasons of {job}/0 are {shown()}, not {kinds}", lambda: shown() == kinds)


def lost(tab, scene):
    open_operation(tab, scene, f"{scene.lost}/0")
    story = tab.text("[data-part=attempts]")
    pattern = r"Submitted .* Attempt 1 lost on first .* Its worker first was lost\. .*Attempt 2 succeeded on second"
    tab.expect(re.search(pattern, story), f"the story of a lost worker is {story!r}")


def array(tab, scene):
    tab.open(f"/operations/{scene.sweep}/sweep")
    text = tab.text("main")
    tab.expect("5 operations" in text, f"the name of an array does not lead to its operations: {text!r}")
    tab.page.get_by_text("List them").click()
    tab.await_view("job")
    tab.until(
        "the list of an array's operations has not five rows",
        lambda: tab.count("[data-table=operations] tbody tr") == 5,
    )
    tab.open(f"/operations/{scene.steps}/count")
    tab.expect(tab.text("h1").startswith(f"{scene.steps}/1"), "the name of an operation does not lead to it")


def executing(tab, scene):
    job, pipe = scene.following("talker")
    with pipe:
        scene.await_counts(job, executing=1)
        open_operation(tab, scene, f"{job}/0")
        tab.await_live()
        tab.expect(re.match(r"It .*execut.* on w\d", sentence(tab)), f"the sentence is {sentence(tab)!r}")
        for line in ("first line", "second line", "\x1b[32mgreen\x1b[0m line"):
            pipe.write(line.encode() + b"\n")
            tab.until_text(
                "pre.log", line.replace("\x1b[32m", "").replace("\x1b[0m", "") + "$", "a line of the live output"
            )
        tab.expect(tab.texts("pre.log .ink-2") == ["green"], "a colour of the live output is not kept")
        tab.expect(
            tab.text("pre.log") == "first line second line green line", f"the live output is {tab.text('pre.log')!r}"
        )
        # While the end is not followed, what is read keeps its place.
        pipe.write(b"long\n" * 200)
        tab.until(
            "the live output is not followed to its end",
            lambda: tab.evaluate(
                "(() => { const log = document.querySelector('pre.log'); return log.scrollTop > 0 && log.scrollTop + log.clientHeight > log.scrollHeight - 2; })()"
            ),
        )
        tab.page.uncheck("#log-follow")
        tab.evaluate("document.querySelector('pre.log').scrollTop = 0")
        pipe.write(b"the last line\n")
        tab.until_text("pre.log", "the last line$", "a line of an output that is not followed")
        tab.expect(
            tab.evaluate("document.querySelector('pre.log').scrollTop") == 0, "an output moves that is not followed"
        )
    tab.until_text('[data-field="state"]', "^succeeded$", "the state of an operation that has ended")
    tab.until_text("[data-part=attempts]", "Attempt 1 succeeded", "the story of an operation that has ended")
    tab.expect(sentence(tab).startswith("It succeeded"), f"the sentence is {sentence(tab)!r}")
