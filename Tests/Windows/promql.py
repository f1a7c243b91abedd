"""What an expression of Prometheus's language refers to, so that a misspelt metric is found before an alert is needed."""

import re

from metric_list import METRICS, TLS_METRICS, series

TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<range>\[(?:(?:\d+(?:ms|[smhdwy]))+|\$\w+)(?::[^\]]*)?\])
    |(?P<compare>==|>=|<=|>|<)|(?P<match>=~|!~|!=|=)|(?P<name>[a-zA-Z_:][\w:]*)
    |(?P<number>[\d.]+(?:[eE][+-]?\d+)?[smhdwy]*)|(?P<other>[-+*/%^(){},@])""",
    re.VERBOSE,
)
GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
WORDS = GROUPING | {"and", "or", "unless", "bool", "offset", "inf", "nan", "start", "end", "atan2"}
# Those of Prometheus 2.42, without the trigonometric ones.
AGGREGATIONS = set("sum min max avg count group stddev stdvar topk bottomk quantile count_values".split())
FUNCTIONS = AGGREGATIONS | set(
    """abs absent absent_over_time avg_over_time ceil changes clamp clamp_max clamp_min count_over_time day_of_month day_of_week
    days_in_month delta deriv exp floor histogram_count histogram_fraction histogram_quantile histogram_sum holt_winters hour idelta
    increase irate label_join label_replace last_over_time ln log10 log2 max_over_time min_over_time minute month predict_linear
    present_over_time quantile_over_time rate resets round scalar sgn sort sort_desc sqrt stddev_over_time stdvar_over_time
    sum_over_time time timestamp vector year""".split()
)
OPERATORS = {"+", "-", "*", "/", "%", "^", "==", "!=", ">", "<", ">=", "<=", "and", "or", "unless", "atan2", "offset", "@"}
CLOSING = {")": "(", "}": "{"}
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
    check_closed(found)
    return found


def check_closed(found):
    """Checks that each parenthesis and each brace has the one that belongs to it."""
    opened = []
    for _, text in found:
        if text in CLOSING.values():
            opened.append(text)
        elif text in CLOSING and (not opened or opened.pop() != CLOSING[text]):
            raise Unknown(f"a {text} closes nothing")
    if opened:
        raise Unknown(f"a {opened[-1]} is not closed")


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
                if found[index][0] == "name" and found[index + 1][1] in {",", ")"}:
                    grouping.add(found[index][1])
                elif found[index][1] != ",":
                    raise Unknown(f"the labels behind {text} have no comma after {found[index][1]}")
                index += 1
        elif text.lower() in WORDS:
            index += 1
        elif follower in {"(", "by", "without"}:
            if text not in (FUNCTIONS if follower == "(" else AGGREGATIONS):
                raise Unknown(f"there is no function {text}")
            index += 1
        else:
            index += 1
            matchers = []
            if follower == "{":
                index += 1
                while found[index][1] != "}":
                    if found[index][1] != ",":
                        if [kind for kind, _ in found[index : index + 3]] != ["name", "match", "text"]:
                            raise Unknown(f"{found[index][1]} in the braces of {text} is no label with a value")
                        matchers.append((found[index][1], found[index + 1][1], found[index + 2][1][1:-1]))
                        index += 2
                    index += 1
            selectors.append((text, matchers))
    return selectors, grouping


def without_lists(found):
    """The tokens outside of braces, and without the labels of by, on and the like."""
    left, index = [], 0
    while index < len(found):
        kind, text = found[index]
        follower = found[index + 1][1] if index + 1 < len(found) else ""
        is_grouping = kind == "name" and text.lower() in GROUPING
        if text == "{" or is_grouping and follower == "(":
            end = "}" if text == "{" else ")"
            while found[index][1] != end:
                index += 1
        elif not is_grouping and text.lower() != "bool":
            left.append((kind, text))
        index += 1
    return left


def check_order(expression):
    """Checks that operands and operators follow one another. The grammar has more rules, which "scripts/windows metrics" checks."""
    wants_operand, before = True, ""
    for kind, text in without_lists(tokens(expression)):
        is_operator = text.lower() in OPERATORS
        # An argument may be none, as that of time.
        if wants_operand and text == ")" and before == "(":
            wants_operand = False
        elif wants_operand:
            if is_operator and text not in {"+", "-"} or text in {")", ","} or kind in {"match", "range"}:
                raise Unknown(f"an operand is missing before {text}")
            wants_operand = is_operator or text == "(" or text in FUNCTIONS
        elif is_operator or text == ",":
            wants_operand = True
        elif text != ")" and kind != "range":
            raise Unknown(f"an operator is missing before {text}")
        before = text
    if wants_operand:
        raise Unknown("an operand is missing at the end")


def check(expression, recorded):
    """Checks that an expression names metrics of the list or of recording rules, with their labels and possible values.

    - recorded: the labels of each recording rule.

    Raises Unknown for the first one that does not exist.
    """
    known = series(METRICS | TLS_METRICS) | recorded | {"up": {}}
    selectors, grouping = references(expression)
    check_order(expression)
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


def labels_of_rule(expression, recorded):
    """The labels of a rule whose expression begins with an aggregation "by", with the values that its metrics have.

    - recorded: the labels of each recording rule before it.
    """
    match = re.search(r"\bby\s*\(([^)]*)\)", expression)
    if not match:
        raise Unknown("a recording rule has to aggregate by labels")
    known = series(METRICS | TLS_METRICS) | recorded
    metrics = [known.get(name, {}) for name, _ in references(expression)[0]]
    labels = [label.strip() for label in match[1].split(",")]
    return {label: next((metric[label] for metric in metrics if metric.get(label)), None) for label in labels}
