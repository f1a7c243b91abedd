import CBatonLine
import Testing

@testable import baton_cli

@Suite("Texts of make")
struct MakeTextTests {
    @Test(
        "The line of a call of a shell is found behind all that .SHELLFLAGS may have",
        arguments: [
            ["-c"], ["-ec"], ["-e", "-c"], ["-eu", "-o", "pipefail", "-c"], ["-euo", "pipefail", "-c"], ["-xc"],
            ["-c", "-e"], ["-o", "errexit", "-o", "nounset", "-c"], ["--norc", "-c"],
            ["--posix", "-O", "extglob", "-c"],
            ["+e", "-c"], ["-c", "--"], ["-ceo", "pipefail"],
        ]
    )
    func shellFlags(flags: [String]) throws {
        for line in ["echo a", "", "cc -c 'a b.c'", "cd x && make -c", "a\\\nb"] {
            let arguments = try #require(ShellArguments(flags + [line]))
            #expect(arguments.line == line)
            #expect(arguments.words == flags + [line])
        }
    }

    @Test(
        "A call of a shell without -c or without a line is none of make's",
        arguments: [
            [], ["-c"], ["-e", "line"], ["line"], ["-o", "pipefail"], ["-c", "-o", "pipefail"], ["--norc", "c"],
        ]
    )
    func noLine(words: [String]) {
        #expect(ShellArguments(words) == nil)
    }

    @Test(
        "A line runs make if a word names make, wherever it stands",
        arguments: [
            "make", "make all", "/usr/bin/make -C src", "cd src && make all",
            "cd ../deps && /opt/bin/gmake lua CFLAGS=\"-O2\"",
            "(cd hiredis && make clean) > /dev/null || true", "for d in a b; do make -C $d; done", "CC=gcc V=1 make x",
            "env V=1 make", "MAKELEVEL=0 make", "sh -c 'make x'", "sh -c \"cd y;make\"", "if true; then make; fi",
            "x=`make -s print`", "echo $(make -s print)", "$MAKE all", "${MAKE} all", "\"make\" all", "make-4.4 -j2",
            "+make",
            "@make", "cd a;\\\nmake", "./configure MAKE=make", "! make", "time make", "xargs make <list", "a|make -f-",
        ]
    )
    func recursion(line: String) {
        #expect(MakeLine(text: line).namesMake)
    }

    @Test(
        "A line that does not name make runs no make",
        arguments: [
            "", "cc -c make.c -o make.o", "cmake --build .", "automake --foreign", "./makefile.sh", "cc -Imake/ -c a.c",
            "echo 'a maker makes'", "cp x src/make/y", "printf '%s\\n' \"made\"", "MAKEFLAGS= MAKELEVEL= true",
            "makeinfo x.texi",
            "cc -DMAKE_X -c x.c", "make-dirs x", "ls /usr/share/make/",
        ]
    )
    func noRecursion(line: String) {
        #expect(!MakeLine(text: line).namesMake)
    }

    private static func findJobserver(in flags: String, _ found: inout [Int32]) -> Bool {
        var (reading, writing) = (found[0], found[1])
        defer { found = [reading, writing] }
        return cline_jobserver(flags, &reading, &writing) != 0
    }

    @Test(
        "The jobserver's descriptors are those that MAKEFLAGS names",
        arguments: [
            (" -j2 --jobserver-auth=3,4", 3, 4), ("kw -j8 --jobserver-fds=5,6 -- CC=gcc", 5, 6),
            (" -j4 -Otarget --jobserver-auth=-2,-2", -2, -2),
        ] as [(String, Int32, Int32)]
    )
    func jobserver(flags: String, reading: Int32, writing: Int32) {
        var found: [Int32] = [0, 0]
        let isThere = Self.findJobserver(in: flags, &found)
        #expect(isThere && found == [reading, writing])
    }

    @Test(
        "There is no pipe of a jobserver without its option, behind a named pipe, and in a variable",
        arguments: [
            "", "k", " -j", " -j4 --jobserver-auth=fifo:/tmp/GMfifo12", " -- X=--jobserver-auth=3,4",
            " -- X=a\\ --jobserver-auth=3,4", " --jobserver-auth=3", " --jobserver-auth=a,b",
        ]
    )
    func noJobserver(flags: String) {
        var found: [Int32] = [7, 8]
        let isThere = Self.findJobserver(in: flags, &found)
        #expect(!isThere && found == [7, 8])
    }

    @Test(
        "The flags of an operation keep all but the jobserver, the number of jobs and the shell",
        arguments: [
            ("", ""), ("k", "k"), (" -j2 --jobserver-auth=3,4", ""), ("-j2 --jobserver-auth=3,4", ""),
            ("kw -j8 --jobserver-auth=fifo:/tmp/x -- SHELL=baton\\ make-shell CC=gcc\\ -m32", "kw -- CC=gcc\\ -m32"),
            (" -j -- SHELL=baton\\ make-shell", ""), (" -j3 -Otarget -- V=1 SHELL=sh", " -Otarget -- V=1"),
            (" -- V=a\\ -j2", " -- V=a\\ -j2"), ("-w -j2 --jobserver-auth=3,4", "-w"),
        ]
    )
    func flagsOfOperation(flags: String, expected: String) {
        #expect(MakeFlags(flags).withoutJobserver == expected)
    }
}
