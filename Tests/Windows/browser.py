"""Tabs of the system's Chromium that gather what must never happen in the page, for the step page of scripts/windows."""

import contextlib
import pathlib
import re
import time

from cluster import Failure
from playwright.sync_api import sync_playwright

PROGRAM = "/usr/bin/chromium"
# How long something that the page is to show may take, in seconds; other work may go on on the machine.
PATIENCE = 60
# What a tab reports of itself, before any script of the page runs.
WATCH = """
document.addEventListener("securitypolicyviolation", (event) => reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
globalThis.madeByHostileText = () => reportViolation("text has become a script");
"""
NEW_MESSAGES = """[...document.querySelectorAll("#notice .message")].filter((each) => !each.isOld)
  .map((each) => [each.dataset.kind, each.querySelector("p").innerText.replace(/\\s+/g, " ").trim()])"""
# A request that the page itself breaks off: it closes its stream, or another view is shown.
BROKEN_OFF = "net::ERR_ABORTED"


class Browser:
    """One Chromium for a cluster's page; leaving the with block ends it."""

    def __init__(self, cluster, report):
        self.cluster = cluster
        self.report = report

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        playwright = self.stack.enter_context(sync_playwright())
        self.chromium = playwright.chromium.launch(
            executable_path=PROGRAM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        self.stack.callback(self.chromium.close)
        return self

    def __exit__(self, *error):
        self.stack.close()

    @contextlib.contextmanager
    def tab(self, name, path=None, token="", expected=(), **options):
        """Opens a tab, and checks at its end that nothing has happened in it but what is expected.

        token is that of the home unless another is given; None stands for none. expected has patterns of messages.
        """
        context = self.chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(PATIENCE * 1000)
        try:
            tab = Tab(self, context, name, self.cluster.token if token == "" else token, expected)
            if path is not None:
                tab.open(path)
            yield tab
            tab.check()
        finally:
            context.close()


class Tab:
    """A tab, which waits for what the page shows."""

    def __init__(self, browser, context, name, token, expected):
        self.cluster = browser.cluster
        self.report = browser.report
        self.context = context
        self.name = name
        self.token = token
        self.expected = list(expected)
        self.events = []
        self.requests = []
        self.page = page = context.new_page()
        context.expose_binding("reportViolation", lambda source, text: self.events.append(f"violation: {text}"))
        context.add_init_script(WATCH)
        page.on("console", lambda message: self.events.append(f"console, {message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.events.append(f"error: {error.stack[:300]}"))
        page.on("dialog", lambda dialog: (self.events.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("requestfailed", self.note_failure)
        page.on("request", self.note_request)

    def note_failure(self, request):
        if request.failure != BROKEN_OFF:
            self.events.append(f"request failed: {request.method} {request.url}: {request.failure}")

    def note_request(self, request):
        self.requests.append(f"{request.method} {request.url.removeprefix(self.cluster.url)}")
        if not request.url.startswith((self.cluster.url + "/", f"blob:{self.cluster.url}/")):
            self.events.append(f"request to another origin: {request.url}")

    def expect(self, condition, sentence):
        return self.report.expect(condition, f"{self.name}: {sentence}")

    def check(self):
        """Checks that nothing has happened but what is expected."""
        unexpected = [event for event in self.events if not any(re.search(one, event) for one in self.expected)]
        self.expect(not unexpected, f"{len(unexpected)} things have happened that must not: {unexpected[:3]}")

    # Going

    def open(self, path, is_ready=True):
        """Opens an address, at first with the token, and waits for the first data."""
        fragment = f"#token={self.token}" if self.token and self.page.url == "about:blank" else ""
        self.page.goto(self.cluster.url + path + fragment)
        if is_ready:
            self.await_ready()

    def await_ready(self):
        self.page.locator("html[data-ready=true]").wait_for(state="attached")

    def await_view(self, name):
        self.page.locator(f"html[data-ready=true] main[data-page={name}]").wait_for(state="attached")

    def await_live(self):
        self.page.locator("body[data-live=live]").wait_for(state="attached")

    @property
    def path(self):
        """The address that the tab shows, without the server's part."""
        return self.page.url.removeprefix(self.cluster.url)

    # Seeing

    def text(self, selector):
        """The text of the first element, with plain spaces; None without one."""
        return (self.texts(selector) or [None])[0]

    def texts(self, selector):
        """The texts of all elements; elements of drawings have no inner text."""
        texts = self.page.locator(selector).evaluate_all(
            "(all) => all.map((each) => each.innerText ?? each.textContent)"
        )
        return [" ".join(text.split()) for text in texts]

    def field(self, name):
        return self.text(f'[data-field="{name}"]')

    def count(self, selector):
        return self.page.locator(selector).count()

    def offers(self, action):
        """Whether there is a button of an action that is seen."""
        return self.page.locator(f'[data-action="{action}"]:visible').count() > 0

    def until(self, sentence, look):
        """Waits until a function has something, and counts a check; returns what the function has."""
        deadline = time.monotonic() + PATIENCE
        while not (found := look()) and time.monotonic() < deadline:
            self.page.wait_for_timeout(50)
        self.expect(found, sentence() if callable(sentence) else sentence)
        return found

    def until_text(self, selector, pattern, sentence):
        """Waits until the text of an element matches; the sentence says what it is about."""
        return self.until(
            lambda: f"{sentence}: {self.text(selector)!r} instead of {pattern!r}",
            lambda: re.search(pattern, self.text(selector) or ""),
        )

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def evaluate(self, script, argument=None):
        return self.page.evaluate(script, argument)

    def download(self, button):
        """Presses a button, and returns the content of the file that is saved then."""
        with self.page.expect_download() as waiting:
            button.click()
        return pathlib.Path(waiting.value.path()).read_bytes()

    # Acting

    def ask(self, action, within=""):
        """Presses the button of an action; returns the text of the question."""
        self.page.locator(f'{within} [data-action="{action}"]:visible').first.click()
        return self.text("dialog[open]")

    def leave(self):
        self.page.locator("dialog[open] button", has_text="Leave it").click()

    def confirm(self):
        """Confirms the question, and returns the text of the reply."""
        return self.reply_to(lambda: self.page.locator('dialog[open] [data-action="confirm"]').click())[1]

    def reply_to(self, do):
        """Does something; returns the kind and the text of the message that is shown then."""
        self.evaluate("for (const each of document.querySelectorAll('#notice .message')) each.isOld = true")
        do()
        found = self.until("no reply is shown", lambda: self.evaluate(NEW_MESSAGES))
        if not found:
            raise Failure(f"{self.name}: an action has no reply.")
        return found[-1]

    def one(self, selector):
        """The one element that a selector finds, as soon as it is there."""
        found = self.page.locator(selector)
        found.first.wait_for(state="attached")
        if found.count() != 1:
            raise Failure(f"{self.name}: {found.count()} elements are {selector}, not one.")
        return found
