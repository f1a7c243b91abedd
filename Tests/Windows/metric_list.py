"""The metrics that a coordinator promises: name, type, labels, and the values of labels that have fixed ones."""

import re

OUTCOMES = {"succeeded", "failed", "cancelled", "skipped"}
STATES = {"pending", "ready", "executing", "finished"}
WORKER_STATES = {"alive", "draining", "failing", "suspect", "lost", "left"}
ENDS = {"succeeded", "failed", "cancelled", "lost", "givenBack", "stopped"}

# A label without fixed values has None.
METRICS = {
    "baton_build_info": ("gauge", {"version": None}),
    "baton_coordinator_epoch": ("gauge", {}),
    "baton_operations": ("gauge", {"queue": None, "state": STATES - {"finished"}}),
    "baton_operations_submitted_total": ("counter", {"queue": None}),
    "baton_operations_finished_total": ("counter", {"queue": None, "outcome": OUTCOMES}),
    "baton_attempts_total": ("counter", {"end": ENDS}),
    "baton_operation_wait_seconds": ("histogram", {"queue": None}),
    "baton_operation_run_seconds": ("histogram", {"queue": None}),
    "baton_jobs": ("gauge", {"state": STATES}),
    "baton_jobs_finished_total": ("counter", {"outcome": OUTCOMES}),
    "baton_queue_limit": ("gauge", {"queue": None}),
    "baton_queue_suspended": ("gauge", {"queue": None}),
    "baton_limit_units": ("gauge", {"limit": None}),
    "baton_limit_taken": ("gauge", {"limit": None}),
    "baton_limit_waiting": ("gauge", {"limit": None}),
    "baton_workers": ("gauge", {"state": WORKER_STATES}),
    "baton_worker_slots": ("gauge", {"worker": None}),
    "baton_worker_executing": ("gauge", {"worker": None}),
    "baton_worker_silence_seconds": ("gauge", {"worker": None}),
    "baton_file_connections": ("gauge", {}),
    "baton_file_pieces": ("gauge", {}),
    "baton_file_bytes_total": ("counter", {}),
    "baton_file_direct_bytes_total": ("counter", {}),
    "baton_store_commit_seconds": ("histogram", {}),
    "baton_store_bytes": ("gauge", {}),
    "baton_store_wal_bytes": ("gauge", {}),
    "baton_store_disk_free_bytes": ("gauge", {}),
    "baton_store_disk_bytes": ("gauge", {}),
    "baton_store_failing": ("gauge", {}),
    "baton_loop_turn_seconds": ("histogram", {}),
    "baton_events_total": ("counter", {}),
    "baton_http_requests_total": ("counter", {"route": None, "code": None}),
    "baton_http_request_seconds": ("histogram", {"route": None}),
    "baton_http_streams": ("gauge", {}),
    "process_cpu_seconds_total": ("counter", {}),
    "process_resident_memory_bytes": ("gauge", {}),
    "process_open_fds": ("gauge", {}),
    "process_max_fds": ("gauge", {}),
    "process_start_time_seconds": ("gauge", {}),
}

# What a scrape of a coordinator without TLS does not have.
TLS_METRICS = {
    "baton_http_certificate_expiry_timestamp_seconds": ("gauge", {}),
}

SAMPLE = re.compile(r"(?P<name>[a-zA-Z_:][\w:]*)(?:\{(?P<labels>.*)\})? (?P<value>\S+)(?: -?\d+)?")
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?')


def series(metrics=METRICS):
    """The labels of each series that a scrape has: those of a histogram's three series instead of the histogram."""
    names = {}
    for name, (kind, labels) in metrics.items():
        if kind == "histogram":
            names |= {f"{name}_bucket": labels | {"le": None}, f"{name}_sum": labels, f"{name}_count": labels}
        else:
            names[name] = labels
    return names


def samples(text):
    """The samples of a scrape: name, labels and value of each.

    Raises ValueError for a line that is none.
    """
    found = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        match = SAMPLE.fullmatch(line)
        if not match:
            raise ValueError(f"this is no sample: {line[:200]}")
        found.append((match["name"], dict(LABEL.findall(match["labels"] or "")), float(match["value"])))
    return found


def check_scrape(text, report):
    """Compares a scrape with the list: types, names, labels and values."""
    try:
        found = samples(text)
    except ValueError as error:
        report.expect(False, str(error))
        return
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    for name, (kind, _) in METRICS.items():
        report.expect(types.get(name) == kind, f"{name} has the type {types.get(name)} instead of {kind}")
    expected = series()
    for name, labels in expected.items():
        own = [other for other in found if other[0] == name]
        if not report.expect(own, f"the scrape has no sample of {name}"):
            continue
        wrong = next((other for _, other, _ in own if set(other) != set(labels)), None)
        report.expect(wrong is None, f"{name} has the labels {sorted(wrong or [])} instead of {sorted(labels)}")
        for label, values in labels.items():
            strange = sorted({other[label] for _, other, _ in own if label in other} - values) if values else []
            report.expect(not strange, f"{name} has the {label} {', '.join(strange)}")
        keys = [tuple(sorted(other.items())) for _, other, _ in own]
        report.expect(len(keys) == len(set(keys)), f"{name} has two samples with the same labels")
    others = sorted({name for name, _, _ in found} - set(expected))
    report.figure("samples, and names beyond the list", f"{len(found)}, {', '.join(others) or 'none'}")
