"""What a step of scripts/windows prints: its figures, and one line with a verdict."""

import statistics
import sys

# Exit statuses of a step; that of what cannot be checked is sysexits' EX_UNAVAILABLE.
PASSED, FAILED, NOT_CHECKED = 0, 1, 69


class Report:
    """The figures and findings of one step."""

    def __init__(self, step):
        self.step = step
        self.checks = 0
        self.failures = []
        self.skipped = []

    def figure(self, name, text):
        """Prints a figure without a limit."""
        print(f"  {name:<58} {text}", flush=True)

    def expect(self, condition, sentence):
        """Counts a check; prints the sentence if the condition does not hold."""
        self.checks += 1
        if not condition:
            self.failures.append(sentence)
            print(f"  FAILED: {sentence}", flush=True)
        return bool(condition)

    def limit(self, name, value, unit="", most=None, least=None):
        """Prints a figure beside its limits, and counts a check."""
        limits = [f"at most {number(most)}"] if most is not None else []
        limits += [f"at least {number(least)}"] if least is not None else []
        is_well = value is not None and (most is None or value <= most) and (least is None or value >= least)
        shown = "nothing measured" if value is None else f"{number(value)}{unit and ' ' + unit}"
        note = "" if is_well else "  FAILED"
        self.checks += 1
        if not is_well:
            self.failures.append(f"{name}: {shown} ({', '.join(limits)})")
        print(f"  {name:<58} {shown} ({', '.join(limits)}){note}", flush=True)

    def skip(self, sentence):
        """Notes that something could not be checked, and why."""
        self.skipped.append(sentence)
        print(f"  NOT CHECKED: {sentence}", flush=True)

    def verdict(self):
        """Prints the line with the verdict.

        Returns the exit status: a failure counts before what was not checked.
        """
        missing = f"; {len(self.skipped)} not checked: {self.skipped[0]}" if self.skipped else ""
        if self.failures:
            words = f"FAILED, {len(self.failures)} of {self.checks} checks: {self.failures[0]}"
        elif self.checks == 0:
            words = "nothing was checked"
        else:
            words = f"passed, {self.checks} checks"
        print(f"{self.step}: {words}{missing}", flush=True)
        sys.stdout.flush()
        return FAILED if self.failures else NOT_CHECKED if self.skipped or self.checks == 0 else PASSED


def number(value):
    """A number as text, with three significant digits or all before the point."""
    size = abs(value)
    digits = 0 if size >= 100 or value == int(value) else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:,.{digits}f}"


def quantile(values, part):
    """The smallest value that so large a part of the values does not exceed; None without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else None


def median(values):
    """The median; None without values."""
    return statistics.median(values) if values else None
