"""The budgets of the web interface that need no page (WINDOWS.md); each is measured in pairs and judged by medians."""

import budget_load
import budget_memory
import budget_million
import budget_program


def run(report, options):
    budget_program.run(report, options)
    budget_memory.run(report, options)
    budget_load.run(report, options)
    budget_million.run(report, options)
