"""What the web interface costs each start of the program."""

import os
import time

from report import median

MOST_MILLISECONDS = 0.3


def run(report, options):
    count = 200 if options.short else 1_000
    program = os.environ["BATON"]
    if options.baseline:
        differences, times = pairs([program, "--version"], [options.baseline, "--version"], count)
        report.figure("baton --version, and without HTTP", f"{times[0]:.2f} ms, {times[1]:.2f} ms")
        report.limit("baton --version: more than without HTTP", differences, "ms", most=MOST_MILLISECONDS)
    else:
        differences, times = pairs([program, "--version"], ["/bin/true"], count)
        report.figure(
            "baton --version, and /bin/true", f"{times[0]:.2f} ms, {times[1]:.2f} ms, {differences:.2f} ms more"
        )
        report.skip("--baseline names no program without HTTP, with which baton --version would be compared")
    libraries = loaded(program)
    report.expect("libmicrohttpd" not in libraries, "each start of the program loads libmicrohttpd")
    report.expect("libpq" not in libraries, "each start of the program loads libpq")


def pairs(first, second, count):
    """Starts two commands in turns; returns the median difference and the median of each, in milliseconds."""
    times = ([], [])
    for command in (first, second):
        start(command)
    for index in range(count):
        order = (0, 1) if index % 2 == 0 else (1, 0)
        for side in order:
            times[side].append(start((first, second)[side]))
    differences = [one - other for one, other in zip(*times)]
    return median(differences), [median(side) for side in times]


def start(command):
    """Starts a command and waits for its end; returns the time in milliseconds."""
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    begin = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=nowhere)
    os.waitpid(process, 0)
    return (time.perf_counter() - begin) * 1000


def loaded(program):
    """The libraries that the loader maps at each start of a program, as a text."""
    reading, writing = os.pipe()
    environment = os.environ | {"LD_TRACE_LOADED_OBJECTS": "1"}
    process = os.posix_spawn(program, [program], environment, file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)])
    os.close(writing)
    with open(reading) as output:
        text = output.read()
    os.waitpid(process, 0)
    return text
