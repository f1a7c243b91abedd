@_spi(Baton) @testable import BatonClient
import Testing

@Suite("Rules of .batonignore")
struct IgnoreRulesTests {
    /// Whether a path is left out, or a directory on the way to it; a path of a directory ends with a slash.
    private func leavesOut(_ text: String, _ path: String) -> Bool {
        let rules = IgnoreRules(text)
        let names = path.split(separator: "/").map(String.init)
        return names.indices.contains { last in
            rules.leavesOut(Array(names[...last]), isDirectory: last < names.count - 1 || path.hasSuffix("/"))
        }
    }

    @Test(
        "A line leaves out what it names",
        arguments: [
            ("*.o", ["a.o", "d/a.o", "d/e/.o", "x.o/"], ["a.c", "a.o2", "o"]),
            ("build", ["build", "build/", "d/build", "build/x"], ["builds", "d/rebuild"]),
            ("build/", ["build/", "d/build/", "build/x/y"], ["build", "d/build"]),
            ("/a", ["a", "a/", "a/b"], ["d/a", "b/a/"]),
            ("a/b", ["a/b", "a/b/c"], ["d/a/b", "b", "a", "a/c/b"]),
            ("doc/*.pdf", ["doc/x.pdf", "doc/.pdf"], ["doc/d/x.pdf", "x.pdf", "d/doc/x.pdf"]),
            ("**/x", ["x", "a/x", "a/b/x/y"], ["a/xx", "y"]),
            ("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["z", "b/a/z", "a/b/zz", "a"]),
            ("logs/**", ["logs/a", "logs/d/", "logs/d/e"], ["logs", "logs/", "d/logs/a"]),
            ("**", ["a", "a/", "a/b"], []),
            ("a?c", ["abc", "d/aéc"], ["ac", "abbc"]), ("[a-c]1", ["a1", "d/c1"], ["d1", "a11"]),
            ("  ", [], ["a", " "]), ("# x", [], ["x", "# x"]), ("x  ", ["x"], ["x  "]), ("/", [], ["a", "a/"]),
            ("*", ["a", ".b", "d/"], []), ("*.c\r\n*.h\r\n", ["a.c", "b.h"], ["a.c\r"]),
        ] as [(String, [String], [String])]
    )
    func lines(text: String, left: [String], kept: [String]) {
        for path in left { #expect(leavesOut(text, path), "\(text) and \(path)") }
        for path in kept { #expect(!leavesOut(text, path), "\(text) and \(path)") }
    }

    @Test("The last line that matches decides, and what is in a directory that is left out does not come back")
    func order() {
        let text = "*.log\n!keep.log\nkeep.log.d/\n/data/*\n!/data/in\nout/\n!out/x\n"
        for path in ["a.log", "d/b.log", "data/x", "out/x", "keep.log.d/"] { #expect(leavesOut(text, path), "\(path)") }
        for path in ["keep.log", "d/keep.log", "data/in", "data/in/x", "x"] {
            #expect(!leavesOut(text, path), "\(path)")
        }
        #expect(!leavesOut("a\n!a\n", "a") && leavesOut("!a\na\n", "a"))
        #expect(!leavesOut("logs/**\n!logs/keep\n", "logs/keep") && leavesOut("logs/**\n!logs/keep\n", "logs/other"))
    }

    @Test("The data of git and the rules themselves are left out, unless a line takes them back")
    func usual() {
        for path in [".git/", ".git", "d/.git/", ".git/config", ".batonignore"] {
            #expect(leavesOut("", path), "\(path)")
        }
        for path in [".gitignore", ".github/", "d/.batonignore", "git"] { #expect(!leavesOut("", path), "\(path)") }
        #expect(!leavesOut("!.git\n!.batonignore", ".git/config") && !leavesOut("!.batonignore", ".batonignore"))
    }

    @Test("Many stars take no more time than a few")
    func stars() {
        let rule = String(repeating: "**/a/", count: 40) + "b"
        let path = String(repeating: "a/", count: 200) + "c"
        #expect(!leavesOut(rule, path))
    }
}
