"""Commands of baton have to be as the manual has them, and what comments name has to exist."""

import re
import shlex

from facts import FOLDER, HTTP, MANUAL, PORT, ROOT
from shapes import Failure, expect, match

# What the values of options look like, by the word that the manual has for them; others are not used in the manifests.
VALUES = {
    "<url>": r"tcp://(\*|[a-z0-9][a-z0-9.-]*):[1-9]\d*",
    "<host:port>": r"[a-z0-9][a-z0-9.-]*:[1-9]\d*",
    "<name[:port]>": r"(\$\([A-Z]+\)|[a-z0-9])[a-z0-9.$()A-Z-]*(:[1-9]\d*)?",
    "<duration>": r"(\d+(ms|s|m|h|d))+",
    "<n>": r"[1-9]\d*",
    "<file>": r"[^-].*",
}
# Hosts by which comments call a coordinator: itself, its host, and its names in the networks of the files.
HOSTS = {"0.0.0.0", "127.0.0.1", "localhost", "coordinator", "baton"}
# Addresses in comments that are not a coordinator's.
OTHER_ADDRESSES = {"localhost:8080"}
# Options of other programs in comments.
OTHER_OPTIONS = {"--detach"}


def read_manual():
    """The arguments of each command, by name: the word that the manual has for the value, or None, and the meaning."""
    common, commands, current = {}, {}, None
    for line in MANUAL.read_text(encoding="utf-8").splitlines():
        if line == "### Global options":
            current = common
        elif line.startswith("### "):
            current = None
        elif line.startswith("## baton "):
            current = commands[line.removeprefix("## baton ")] = dict(common)
        row = re.fullmatch(r"\| `([^`]+)` \| (.*) \|", line)
        if row and current is not None:
            for name in row[1].split(", "):
                option, _, value = name.partition(" ")
                current[option] = (value or None, row[2])
    return commands


COMMANDS = read_manual()
OPTIONS = {option for arguments in COMMANDS.values() for option in arguments if option.startswith("-")}


def command_of(words):
    """The name of the command with which the words begin, and the words behind it."""
    for count in [2, 1]:
        name = " ".join(words[:count])
        if len(words) >= count and name in COMMANDS:
            return name, words[count:]
    raise Failure(f'there is no command "baton {" ".join(words)}"')


def parse(words):
    """The command of a line, its options with their values, and its operands, by the manual."""
    expect(all(isinstance(word, str) for word in words), f"{words} has elements that are no text")
    name, words = command_of(words)
    arguments = COMMANDS[name]
    options, operands = {}, []
    words = iter(words)
    for word in words:
        if word == "--":
            operands += words
        elif not word.startswith("-") or word == "-":
            operands.append(word)
        else:
            expect(word in arguments, f"baton {name} has no option {word}")
            kind, meaning = arguments[word]
            value = next(words, "") if kind else True
            check_value(name, word, kind, value, meaning)
            if "(may be repeated)" in meaning:
                options.setdefault(word, []).append(value)
            else:
                expect(word not in options, f"baton {name} has the option {word} twice")
                options[word] = value
    check_operands(name, arguments, options, operands)
    return name, options, operands


def check_value(name, option, kind, value, meaning):
    if kind is None:
        return
    choices = re.search(r"values: ([^;)]+)", meaning)
    if choices:
        expect(f"`{value}`" in choices[1].split(", "), f"{option} of baton {name} cannot be {value}")
    else:
        expect(re.fullmatch(VALUES.get(kind, r"[^-].*"), value), f"{option} of baton {name} is {value!r}, no {kind}")


def check_operands(name, arguments, options, operands):
    for argument, (_, meaning) in arguments.items():
        is_given = argument in options or not argument.startswith("-") and operands
        expect(is_given or "(required" not in meaning, f"baton {name} lacks {argument}")
    places = [meaning for argument, (_, meaning) in arguments.items() if argument[0] == "<" or argument == "--"]
    repeated = any("(may be repeated)" in meaning for meaning in places)
    expect(repeated or len(operands) <= len(places), f"baton {name} has too many operands: {operands}")


def command(name, options):
    """The shape of a list with the words of a command, whose options have these shapes."""

    def check(words, place):
        expect(isinstance(words, list) and words, f"{place} is {words!r}, not a command")
        found, values, operands = parse(words)
        expect(found == name, f"{place} runs baton {found}, not baton {name}")
        expect(not operands, f"{place} has the operands {operands}")
        match(options, values, place)

    return check


def options_of(words):
    return parse(words)[1]


def head_of(text):
    """The lines of the commands in the comments."""
    return re.findall(r"^#   (.*)$", text, re.MULTILINE)


def baton_commands(lines):
    """The words of each command of baton in lines of a shell; a loop's variable stands for each of its words."""
    script = "\n".join(lines).replace("\\\n", " ")
    for variable, words in re.findall(r"for (\w+) in ([^;]+);", script):
        loop = [line for line in script.split("\n") if f"${variable}" in line]
        script += "\n" + "\n".join(line.replace(f"${variable}", word) for word in words.split() for line in loop)
        script = "\n".join(line for line in script.split("\n") if f"${variable}" not in line)
    found = []
    for line in script.split("\n"):
        part = []
        lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&")
        lexer.whitespace_split = True
        for word in [*lexer, ";"]:
            if not re.fullmatch(r"[();<>|&]+", word):
                part.append(word)
                continue
            if "baton" in part:
                found.append(part[part.index("baton") + 1 :])
            elif part[:2] == ["docker", "compose"] and "run" in part:
                # The image runs baton: what follows the service, the first word that is no option, is for it.
                words = part[part.index("run") + 1 :]
                service = next(index for index, word in enumerate(words) if not word.startswith("-"))
                found.append(words[service + 1 :])
            part = []
    return found


def check_head(text, expected):
    """Checks that the comments have exactly these commands, and that baton has those that are its own."""
    lines = head_of(text)
    for line in lines:
        expect(line in expected, f"the comments have the command {line!r}, which is not one that is known to work")
    match(expected, lines, "the commands in the comments")
    found = baton_commands(lines)
    for words in found:
        parse(words)
    return found


def comments_of(text):
    """The comments of a file without its commands, in one line."""
    lines = re.findall(r"^ *# ?(.*)$", re.sub(r"^#   .*$", "", text, flags=re.MULTILINE), re.MULTILINE)
    return " ".join(line.strip() for line in lines)


# Addresses, options, commands and files, as prose names them.
MENTIONS = {
    "address": re.compile(r"(?<![\w.*-])([\w.-]+:\d{2,})(?!\d)"),
    "option": re.compile(r"(?<![\w-])(--[a-z][a-z-]*)"),
    "command": re.compile(r'"baton ([^"]+)"'),
    "file": re.compile(r"(?<![\w./$-])([\w./-]+\.(?:ya?ml|json))\b"),
}


def check_mentions(prose, folders=()):
    """Checks that what prose names exists: addresses of a coordinator, options, commands, and files, also of these folders."""
    for address in MENTIONS["address"].findall(prose):
        host, _, port = address.rpartition(":")
        expect(
            host in HOSTS and int(port) in {PORT, HTTP} or address in OTHER_ADDRESSES,
            f"the comments name {address}, where nothing listens",
        )
    for option in MENTIONS["option"].findall(prose):
        expect(option in OPTIONS | OTHER_OPTIONS, f"the comments name the option {option}, which no command has")
    for line in MENTIONS["command"].findall(prose):
        # Operands may be left out in prose.
        name, words = command_of(shlex.split(line))
        for word in words:
            expect(not word.startswith("-") or word in COMMANDS[name], f"baton {name} has no option {word}")
    for file in MENTIONS["file"].findall(prose):
        places = [ROOT, FOLDER, FOLDER / "monitoring", *folders]
        expect(any((place / file).is_file() for place in places), f"the comments name {file}, which does not exist")
