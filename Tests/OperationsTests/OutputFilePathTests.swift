import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Paths of files for output", .timeLimit(.minutes(60)))
struct OutputFilePathTests {
    private func path(_ text: String, name: String? = nil, number: Int64? = nil, item: String? = nil) -> String {
        let operation = OperationID(job: JobNumber(12), index: 3)
        return OutputFilePath(text).path(of: operation, attempt: 2, name: name, number: number, item: item)
    }

    @Test("Each place is filled, and other braces stay as they are")
    func places() {
        #expect(path("logs/{job}/{index}.{attempt}.out") == "logs/12/3.2.out")
        #expect(path("{index}", number: -7) == "-7")
        #expect(path("/x/{operation}.err") == "/x/12/3.err")
        #expect(path("{name}-{item}-{}", name: "sepia", item: "a b") == "sepia-a b-a b")
        #expect(path("{name}") == "3", "an operation without a name is called by its index")
        #expect(path(">> all.log") == "all.log" && OutputFilePath(">> all.log").appends)
        #expect(path("a{b{job}}{") == "a{b12}{")
        #expect(!OutputFilePath("> all.log").appends)
    }

    @Test("A path that is no file's, or has an unknown place, is refused")
    func objections() {
        for text in ["a", "/dev/null", ">>a", "{job}/{index}", "../{item}", "a/{}", "a{b/c}"] {
            #expect(OutputFilePath.objection(to: text) == nil, "\(text)")
        }
        for text in [
            "", ">>", "a/", ".", "a/..", "a\0b", "{lr}.out", "{Job}", "a/{1}", String(repeating: "a", count: 5000),
        ] {
            #expect(OutputFilePath.objection(to: text) != nil, "\(text.prefix(20))")
        }
        let sentence = OutputFilePath.objection(to: "{lr}.out") ?? ""
        #expect(sentence.contains("{lr}") && sentence.contains("{job}, {index}"), "\(sentence)")
    }

    @Test(
        "An item becomes one part of a path, whatever is in it",
        arguments: [
            ("..", "%2E."), (".", "%2E"), ("../../etc/passwd", "..%2F..%2Fetc%2Fpasswd"), ("/abs", "%2Fabs"),
            ("a\nb", "a%0Ab"), ("50%", "50%25"), ("日本 \u{7F}", "日本 %7F"), ("", ""), ("a..", "a.."),
        ]
    )
    func items(_ item: String, _ name: String) {
        #expect(OutputFilePath.fileName(of: item) == name)
        #expect(path("logs/{item}", item: item) == "logs/\(name)")
    }

    @Test("Different random items have different names, without slashes and directories")
    func random() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let alphabet = Array("./%2Fa\u{1}é")
        var names: [String: String] = [:]
        for _ in 0..<3000 {
            let item = String(
                (0..<Int(random.next() % 5)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            )
            let name = OutputFilePath.fileName(of: item)
            #expect(!name.contains("/") && name != "." && name != "..", "seed \(seed), \(item)")
            #expect(names.updateValue(item, forKey: name) ?? item == item, "seed \(seed), \(item)")
        }
    }
}
