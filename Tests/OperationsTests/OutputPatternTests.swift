import Testing

@_spi(Baton) import BatonOperations

@Suite("Patterns for outputs")
struct OutputPatternTests {
    @Test("FI1 A pattern matches the files that it names, and no others")
    func matches() throws {
        let cases: [(pattern: String, yes: [String], no: [String])] = [
            ("a", ["a"], ["b", "a/a", "A", "", ".a"]),
            ("*.bam", ["x.bam", "a b.bam"], [".bam", ".x.bam", "d/x.bam", "x.bam/y", "x.bam.bai"]),
            (".*", [".a", "."], ["a", "a/.b"]),
            ("out/*", ["out/x"], ["out", "out/x/y", "out/.x", "other/x"]),
            ("*/x", ["a/x", "b/x"], ["x", "a/b/x", ".a/x"]),
            ("a?.txt", ["ab.txt", "aé.txt"], ["a.txt", "abc.txt"]),
            ("[ab]", ["a", "b"], ["c", "[ab]"]),
            ("report/", ["report/a", "report/a/b", "report/.a"], ["report", "reports/a", "x/report/a"]),
            ("*/log/", ["a/log/x", "a/log/b/c"], ["log/x", "a/log", "a/b/log/x"]),
            ("é", ["é"], ["e"]),
        ]
        for (text, yes, no) in cases {
            for sign in ["", "?"] {
                let pattern = try OutputPattern(text + sign)
                #expect(pattern.isOptional == (sign == "?") && pattern.text == text + sign)
                #expect(pattern.isFolder == text.hasSuffix("/"))
                for path in yes { #expect(pattern.matches(path), "\(text) and \(path)") }
                for path in no { #expect(!pattern.matches(path), "\(text) and \(path)") }
            }
        }
    }

    @Test("A pattern has a part for each name of a path")
    func parts() throws {
        #expect(try OutputPattern("a/*.b/c?d/?").parts.map(\.name) == ["a", nil, nil])
        #expect(try OutputPattern("a/b/c").parts.map(\.name) == ["a", "b", "c"])
        let pattern = try OutputPattern("a??")
        #expect(pattern.isOptional && pattern.matches("ab") && !pattern.matches("a"))
    }

    @Test("FI2 A pattern that could match nothing below the directory is refused with a sentence")
    func refused() {
        let cases = [
            ("", "is empty"), ("?", "is empty"), ("/a", "begins with a slash"), ("/", "begins with a slash"),
            ("a//b", "has an empty part"), ("a//", "has an empty part"), ("..", "has the part \"..\""),
            ("../a", "has the part \"..\""), ("a/../b", "has the part \"..\""), ("./a", "has the part \".\""),
            ("./", "has the part \".\""), ("a\0", "has a NUL"), ("**", "has \"**\""), ("out/**/x", "has \"**\""),
            (String(repeating: "a", count: 256), "has a part of 256 bytes"),
            (String(repeating: "a/", count: 2049), "has 4097 bytes"),
        ]
        for (text, problem) in cases {
            #expect(OutputPattern.objection(to: text)?.contains(problem) == true, "\(text)")
            #expect(throws: Refusal.self) { try OutputPattern(text) }
        }
        do throws(Refusal) {
            _ = try OutputPattern("../a")
            Issue.record("The pattern was taken.")
        } catch {
            #expect(
                error.code == .invalid
                    && error.message.hasPrefix("The output \"../a\" has the part \"..\"; give a path")
            )
        }
    }
}
