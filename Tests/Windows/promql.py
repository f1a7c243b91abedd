"""What an expression of Prometheus's language refers to, so that a misspelt metric is found before an alert is needed."""

import re

from metric_list import METRICS, TLS_METRICS, series

TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<range>\[[^\]]*\])|(?P<match>=~|!~|!=|=)
    |(?P<name>[a-zA-Z_:][\w:]*)|(?P<number>[\d.]+(?:[eE][+-]?\d+)?[smhdwy]*)|(?P<other>[-+*/%^<>(){},!@]|==|>=|<=)""",
    re.VERBOSE,
)
GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
WORDS = GROUPING | {"and", "or", "unless", "bool", "offset", "inf", "nan", "start", "end", "atan2"}
# Labels that Prometheus gives each series.
OWN_LABELS = {"job", "instance"}


class Unknown(Exception):
    """A reference to something that does not exist."""


def tokens(expression):
    position, found = 0, []
    while position < len(expression):
        token = TOKEN.match(expression, position)
        if not token:
            raise Unknown(f"{expression[position : position + 20]} is no part of an expression")
        position = token.end()
        if token.lastgroup != "space":
            found.append((token.lastgroup, token.group()))
    return found


def references(expression):
    """The selectors of an expression, as pairs of a metric and its (label, operator, value), and the labels that it groups by."""
    found = tokens(expression)
    selectors, grouping = [], set()
    index = 0
    while index < len(found):
        kind, text = found[index]
        follower = found[index + 1][1] if index + 1 < len(found) else ""
        if kind != "name":
            index += 1
        elif text.lower() in GROUPING and follower == "(":
            index += 2
            while found[index][1] != ")":
                if found[index][0] == "name":
                    grouping.add(found[index][1])
                index += 1
        elif text.lower() in WORDS or follower in {"(", "by", "without"}:
            index += 1
        else:
            index += 1
            matchers = []
            if follower == "{":
                index += 1
                while found[index][1] != "}":
                    if found[index][0] == "name":
                        matchers.append((found[index][1], found[index + 1][1], found[index + 2][1][1:-1]))
                        index += 2
                    index += 1
            selectors.append((text, matchers))
    return selectors, grouping


def check(expression, recorded):
    """Checks that an expression names metrics of the list or of recording rules, with their labels and possible values.

    - recorded: the labels of each recording rule.

    Raises Unknown for the first one that does not exist.
    """
    known = series(METRICS | TLS_METRICS) | recorded | {"up": {}}
    selectors, grouping = references(expression)
    if not selectors:
        raise Unknown("it names no metric")
    everywhere = set(OWN_LABELS)
    for name, matchers in selectors:
        if name not in known:
            raise Unknown(f"there is no metric {name}")
        labels = known[name]
        everywhere |= set(labels)
        for label, operator, value in matchers:
            if label not in labels and label not in OWN_LABELS:
                raise Unknown(f"{name} has no label {label}")
            check_value(name, label, operator, value, labels.get(label))
    for label in grouping - everywhere:
        raise Unknown(f"it groups by {label}, which none of its metrics has")


def check_value(name, label, operator, value, values):
    if not values or value.startswith("$"):
        return
    for word in value.split("|") if operator.endswith("~") else [value]:
        if word not in values:
            raise Unknown(f"{name} never has the {label} {word}")


def labels_of_rule(expression):
    """The labels of a recording rule whose expression begins with an aggregation "by"."""
    match = re.search(r"\bby\s*\(([^)]*)\)", expression)
    if not match:
        raise Unknown("a recording rule has to aggregate by labels")
    return {label.strip(): None for label in match[1].split(",")}
