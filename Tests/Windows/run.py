"""Runs one step of scripts/windows: python3 run.py [--short] [--rounds N] [--readers N] [--baseline FILE] [--part NAME] [--pictures] STEP.

The variable BATON names the program. The exit status is 0 if all was checked and well, 1 if something was not, and 69 if something
could not be checked.
"""

import argparse
import importlib
import sys
import traceback

from cluster import Failure
from report import Report

STEPS = ["metrics", "openapi", "perfetto", "otlp", "live", "misbehave", "page", "budgets"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--readers", type=int, default=500)
    parser.add_argument("--baseline")
    parser.add_argument("--part")
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("step", choices=STEPS)
    options = parser.parse_args()
    report = Report(options.step)
    try:
        importlib.import_module(f"step_{options.step}").run(report, options)
    except Failure as error:
        report.expect(False, str(error))
    except Exception as error:
        # A step that breaks has failed, and still has its line with the verdict.
        traceback.print_exc()
        report.expect(False, f"the step broke: {error!r}")
    return report.verdict()


sys.exit(main())
