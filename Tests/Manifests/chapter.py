"""Checks that the chapter of the manual about Kubernetes says of the manifests what they have."""

import re

import promql
from commands import baton_commands, parse
from facts import MANUAL, ROOT
from shapes import Failure, expect, parsed
from workers import DEMAND

CHAPTER = MANUAL.with_name("Kubernetes.md")
PATH = re.compile(r"(?<![\w/])(?:docker/kubernetes|components|single|standby|base)(?:/[\w.-]+)*")


def check_chapter():
    """Checks the commands of baton in the chapter, its expressions for Prometheus, and the files that it names."""
    text = CHAPTER.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    shell = [line for language, block in blocks if language == "sh" for line in block.splitlines()]
    found = baton_commands(shell)
    expect(len(found) > 5, f"{CHAPTER.name} has {len(found)} commands of baton")
    for words in found:
        parse(words)
    for words in re.findall(r"`baton ([^`]+)`", text):
        parse_known(words.split())
    expressions = [" ".join(block.split()) for language, block in blocks if language == "text"]
    expect(DEMAND in expressions, f"{CHAPTER.name} has another measure of workers than the manifests")
    for expression in expressions:
        try:
            promql.check(expression, {})
        except promql.Unknown as error:
            raise Failure(f"{CHAPTER.name}: {error}") from None
    for language, block in blocks:
        if language == "yaml":
            parsed(block)
    for path in {path.rstrip(".") for code in re.findall(r"`([^`\n]+)`", text) + shell for path in PATH.findall(code)}:
        place = path if path.startswith("docker/") else f"docker/kubernetes/{path}"
        expect((ROOT / place).exists(), f"{CHAPTER.name} names {path}, which does not exist")


def parse_known(words):
    """Checks the command of prose, which may lack what is required."""
    try:
        parse(words)
    except Failure as error:
        if " lacks " not in str(error):
            raise
