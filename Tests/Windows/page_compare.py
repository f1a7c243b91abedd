"""Figures and tables of a view compared with what the interface says at that moment, for the step page of scripts/windows."""

import re


def agree(tab, expected):
    """Waits until the figures of the view are those of the interface, and checks that there are no others."""
    seen = {}

    def differ():
        seen.clear()
        for name, value in expected().items():
            shown = tab.field(name)
            if not (re.fullmatch(value, shown or "") if isinstance(value, re.Pattern) else shown == value):
                seen[name] = f"{shown!r} instead of {value!r}"
        return seen

    tab.until(lambda: f"figures of {tab.path} are not those of the interface: {seen}", lambda: not differ())
    shown = set(tab.evaluate("[...document.querySelectorAll('main [data-field]')].map((each) => each.dataset.field)"))
    others = shown - set(expected()) - {"next"}
    tab.expect(not others, f"the figures {others} of {tab.path} are compared with nothing")


def agree_rows(tab, table, expected):
    """Waits until the rows of a table begin with what the interface says."""
    seen = []

    def same():
        wanted = expected()
        seen[:] = [
            (shown[: len(row)], row) for shown, row in zip(rows(tab, table), wanted) if shown[: len(row)] != row
        ] or ([] if tab.count(f"[data-table={table}] tbody tr") == len(wanted) else ["another number of rows"])
        return not seen

    tab.until(lambda: f"the table {table} of {tab.path} is not what the interface says: {seen[:2]}", same)


def rows(tab, table):
    """The cells of each row of a table as texts."""
    return tab.evaluate(
        """(name) => [...document.querySelectorAll(`[data-table="${name}"] tbody tr`)].map((row) =>
        [...row.cells].map((cell) => cell.innerText.replace(/\\s+/g, " ").trim()))""",
        table,
    )
