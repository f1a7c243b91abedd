"""What docker/monitoring/prometheus.yml and baton.rules.yml have to be, and what the dashboard may ask for."""

import json
import re

import promql
from commands import check_head, check_mentions, comments_of
from facts import COORDINATOR, FOLDER, HTTP, JOB, PORT, ROOT
from shapes import Failure, expect, match, measured, seconds

MONITORING = FOLDER / "monitoring"
RULES = "baton.rules.yml"
TOKEN = "token"
HEAD = [
    # A failed command makes no file of a token.
    "token=$(baton authorize --http --role viewer prometheus)"
    f" && printf '%s\\n' \"$token\" | install -m 0600 /dev/stdin {TOKEN}",
    f"baton coordinator --listen 'tcp://*:{PORT}' --http 0.0.0.0:{HTTP} --http-host {COORDINATOR}"
    " --http-cert chain.pem --http-key key.pem",
    "promtool check config prometheus.yml",
    "prometheus --config.file prometheus.yml",
]
# The rules have rates over 5 minutes: some figures have to be within each.
INTERVAL = measured(seconds, "5s", "1m")
PROMETHEUS = {
    "global": {"scrape_interval": INTERVAL, "evaluation_interval": INTERVAL},
    "rule_files": [RULES],
    "scrape_configs": [
        {
            "job_name": JOB,
            # The default of Prometheus is http, with which the token travels in clear text.
            "scheme": "https",
            "authorization": {"type": "Bearer", "credentials_file": TOKEN},
            "static_configs": [{"targets": [f"{COORDINATOR}:{HTTP}"]}],
        }
    ],
}
# What the templates of annotations may use.
TEMPLATE_WORDS = {
    "$value", "$labels.instance", "printf", '"%.0f"', "humanizeDuration", "humanizePercentage", "with", "end", ".", "|",
}


def text(value, place):
    """The shape of a text that is not empty."""
    expect(isinstance(value, str) and value.strip(), f"{place} is {value!r}, not a text")


def sentences(value, place):
    """The shape of an annotation: sentences, in which each placeholder is one that Prometheus can fill."""
    text(value, place)
    expect(value.rstrip().endswith("."), f"{place} does not end with a full stop")
    expect(re.match(r"[A-Z\"'{]", value), f"{place} does not begin as a sentence")
    rest = re.sub(r"{{(.*?)}}", "", value, flags=re.DOTALL)
    expect("{{" not in rest and "}}" not in rest, f"{place} has a placeholder without its beginning or its end")
    for placeholder in re.findall(r"{{(.*?)}}", value, re.DOTALL):
        for word in placeholder.split():
            expect(word in TEMPLATE_WORDS, f"{place} has the unknown word {word} in a placeholder")
    check_mentions(value)


def one_of(*values):
    def check(value, place):
        expect(value in values, f"{place} is {value!r}, not one of {', '.join(values)}")

    return check


ALERT = {
    "alert": text,
    "expr": text,
    "labels": {"severity": one_of("critical", "warning")},
    "annotations": {"summary": sentences, "description": sentences},
}
DURATION = {"for": measured(seconds, "1m", "1h")}
RECORD = {"record": text, "expr": text}


def rule(value, place):
    """The shape of a rule: an alert, which may have to last for some time, or a recorded figure."""
    expect(isinstance(value, dict), f"{place} is {value!r}, not a rule")
    match(RECORD if "record" in value else ALERT | (DURATION if "for" in value else {}), value, place)


def rules(value, place):
    expect(isinstance(value, list) and value, f"{place} is {value!r}, not a list of rules")
    for index, element in enumerate(value):
        rule(element, f"{place}[{index}]")


def check_expression(name, expression, recorded):
    try:
        promql.check(expression, recorded)
        selectors, _ = promql.references(expression)
    except promql.Unknown as error:
        raise Failure(f"{name}: {error}") from None
    for metric, matchers in selectors:
        for label, _, value in matchers:
            expect(label != "job" or value == JOB, f"{name} asks for {metric} of the job {value}, not {JOB}")


def check_prometheus_text(content):
    check_head(content, HEAD)
    check_mentions(comments_of(content))


def check_prometheus(documents):
    match([PROMETHEUS], documents, "the documents")
    for file in PROMETHEUS["rule_files"]:
        expect((MONITORING / file).is_file(), f"there is no file {file}")
    return len(documents[0]["scrape_configs"])


def check_rules_text(content):
    check_mentions(comments_of(content))


def check_rules(documents):
    match([{"groups": [{"name": "baton", "rules": rules}]}], documents, "the documents")
    (group,) = documents[0]["groups"]
    names = [part.get("alert") or part["record"] for part in group["rules"]]
    for name in names:
        expect(names.count(name) == 1, f"there are two rules {name}")
    # "scripts/windows metrics" shows of each alert when it fires and when not.
    tried = (ROOT / "Tests" / "Windows" / "baton.rules.test.yml").read_text(encoding="utf-8")
    tried = set(re.findall(r'alertname="(\w+)"', tried))
    alerts = {part["alert"] for part in group["rules"] if "alert" in part}
    expect(alerts == tried, f"an alert is not in Tests/Windows/baton.rules.test.yml, or there alone: {alerts ^ tried}")
    recorded = {}
    for part in group["rules"]:
        name = part.get("alert") or part["record"]
        check_expression(name, part["expr"], recorded)
        if "record" in part:
            recorded[name] = promql.labels_of_rule(part["expr"], recorded)
    dashboard = json.loads((MONITORING / "grafana-dashboard.json").read_text(encoding="utf-8"))
    asked = [part["expr"] for part in group["rules"]]
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            check_expression(f"the panel {panel['title']} of the dashboard", target["expr"], recorded)
            asked.append(target["expr"])
    for name in recorded:
        expect(any(name in expression for expression in asked), f"nothing asks for the figure {name}")
    return len(group["rules"])


def check_metric_list():
    """Checks that the metrics that rules may name are those that a coordinator writes."""
    folder = ROOT / "Sources" / "Web" / "Metrics"
    written = set()
    for file in folder.glob("*.swift"):
        written |= set(re.findall(r'\.begin\(\s*"(\w+)"', file.read_text(encoding="utf-8")))
    listed = set(promql.METRICS | promql.TLS_METRICS)
    expect(
        written == listed,
        f"Tests/Windows/metric_list.py and {folder.relative_to(ROOT)} differ in {', '.join(sorted(written ^ listed))}",
    )


CHECKS = {
    "monitoring/prometheus.yml": (check_prometheus_text, check_prometheus),
    f"monitoring/{RULES}": (check_rules_text, check_rules),
}
