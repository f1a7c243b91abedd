"""Compares a document with its shape: what is not in the shape may not be in the document, and the other way round.

A shape is a value that has to be equal, an object with exactly these members, a list with exactly these elements in this
order, or a function of a value and its place, which raises Failure for a value that is not meant.
"""

import re

import yaml


class Failure(Exception):
    """The reason why a file is wrong."""


def expect(condition, sentence):
    if not condition:
        raise Failure(sentence)


class StrictLoader(yaml.SafeLoader):
    """Refuses an object with two members of one name, of which others would take the last."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        for key in keys:
            expect(keys.count(key) == 1, f"the key {key} occurs twice in the object of line {node.start_mark.line + 1}")
        return super().construct_mapping(node, deep)


def parsed(text):
    return list(yaml.load_all(text, Loader=StrictLoader))


def match(shape, value, place=""):
    if callable(shape):
        shape(value, place)
    elif isinstance(shape, dict):
        match_object(shape, value, place)
    elif isinstance(shape, list):
        expect(isinstance(value, list), f"{place} is {value!r}, not a list")
        expect(len(value) == len(shape), f"{place} has {len(value)} elements, not {len(shape)}: {value!r}")
        for index, (part, element) in enumerate(zip(shape, value)):
            match(part, element, f"{place}[{index}]")
    else:
        # True is 1 for Python, and "7461" is no number for Kubernetes.
        expect(type(value) is type(shape) and value == shape, f"{place} is {value!r}, not {shape!r}")


def match_object(shape, value, place):
    expect(isinstance(value, dict), f"{place} is {value!r}, not an object")
    for key in value:
        expect(key in shape, f"{place} has the member {key}, which is misspelt, new, or not meant there")
    for key, part in shape.items():
        expect(key in value, f"{place} lacks the member {key}")
        match(part, value[key], f"{place}.{key}" if place else str(key))


def whole(least, most):
    """The shape of a whole number in a range."""

    def check(value, place):
        expect(type(value) is int, f"{place} is {value!r}, not a whole number")
        expect(least <= value <= most, f"{place} is {value}, not between {least} and {most}")

    return check


def measured(measure, least, most):
    """The shape of a text whose measure, such as a time in seconds, is in the range of two others."""

    def check(value, place):
        try:
            size = measure(value)
        except Failure as error:
            raise Failure(f"{place}: {error}") from None
        expect(measure(least) <= size <= measure(most), f"{place} is {value}, not between {least} and {most}")

    return check


def measure_of(what, units):
    """The function that measures a text with one of the units."""
    pattern = re.compile(rf"([1-9]\d*)({'|'.join(units)})")
    names = ", ".join(unit or "none" for unit in units)

    def measure(value):
        found = pattern.fullmatch(value) if isinstance(value, str) else None
        expect(found, f"{value!r} is no {what} in one of the units {names}")
        return int(found[1]) * units[found[2]]

    return measure


seconds = measure_of("time", {"s": 1, "m": 60, "h": 3600})
# Docker takes these as powers of 1024, and knows no Gi; Kubernetes takes G as a power of 1000.
compose_bytes = measure_of("size", {"m": 2**20, "g": 2**30, "M": 2**20, "G": 2**30})
kubernetes_bytes = measure_of("size", {"Mi": 2**20, "Gi": 2**30})
processors = measure_of("number of processors", {"m": 1, "": 1000})
