@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Foundation
import Testing

@Suite("Options in graph files")
struct OptionTests {
    /// The elements of an operation with an option that is for arrays alone.
    private static func array(for key: String) -> ArrayValues? {
        key == "maxConcurrent" ? .numbers(first: 1, step: 1, count: 3) : nil
    }

    /// The directory beside an option: a fresh workspace is a directory of its own.
    private static func directory(for key: String) -> String? {
        ["workspace", "inputs"].contains(key) ? nil : "/home/me"
    }

    /// The work beside an option: inputs are picked into a fresh workspace, and copies are made of outputs.
    private static func work(for key: String) -> Work {
        var work = Work(.commands([["true"]]), directory: directory(for: key))
        if key == "inputs" { work.workspace = .fresh }
        if key == "copies" { work.outputs = ["*.bam"] }
        return work
    }

    /// The keys of graph files: the end of a range is part of the value of another key.
    private static let keys = OperationOption.all.filter { !$0.isRangeEnd }.map(\.key)

    @Test("Each option is read as it was written", arguments: keys)
    func roundTrip(key: String) throws {
        let option = try #require(OperationOption.all.first { $0.key == key })
        for sample in option.samples {
            var template = Template(work: Self.work(for: key))
            var entry = Entry(array: Self.array(for: key))
            option.set(sample, in: &template, &entry)
            let submission = Submission(templates: [template], entries: [entry])
            let text = GraphFileWriter.text(of: submission)
            #expect(text.contains("\"\(key)\": "))
            #expect(try read(text) == submission, "\(text)")
        }
    }

    @Test(
        "Each option has a default for all operations, which an operation overrides",
        arguments: keys
    )
    func defaults(key: String) throws {
        let option = try #require(OperationOption.all.first { $0.key == key })
        var template = Template(work: Self.work(for: key))
        var entry = Entry()
        option.set(option.samples[0], in: &template, &entry)
        let text = GraphFileWriter.text(of: Submission(templates: [template], entries: [entry]))
        let start = try #require(text.range(of: "\"\(key)\": ")).lowerBound
        let end = try #require(text.lastIndex(of: "}").flatMap { text[..<$0].lastIndex(of: "}") })
        // The written member is the last one of the operation, or the directory comes behind it, or the workspace that it needs.
        let member = text[start..<end].split(separator: ", \"cwd\"")[0]
        let array = Self.array(for: key) == nil ? "" : ", array: \"1-3\""
        let operations = "[{command: [\"true\"]\(array)}, {kind: \"noop\"\(array)}]"
        let submission = try read("{defaults: {\(member)}, operations: \(operations)}")
        #expect(submission.entries.count == 2)
        for read in submission.entries {
            let template = submission.templates[read.template]
            // Without a command, nothing leaves files, and nothing runs in a directory.
            let isForFiles = template.work.kind == .noOperation && ["outputs", "inputs", "workspace"].contains(key)
            // The copies are those of outputs, which neither operation has.
            let isUnset = isForFiles || key == "copies"
            #expect(option.value(in: template, read) == (isUnset ? nil : option.samples[0]))
        }
        guard option.defaultValue == nil else { return }
        let reset = try read("{defaults: {\(member)}, operations: [{command: [\"true\"], \(key): null}]}")
        let initial = option.key == "cwd" ? OptionValue.text("/home/me") : nil
        #expect(option.value(in: reset.templates[0], reset.entries[0]) == initial)
    }

    @Test(
        "Copies by default are for operations that leave files, and an operation that wants copies of nothing is refused"
    )
    func copies() throws {
        let submission = try read(
            """
            {defaults: {outputs: ["*.bam"], copies: 3}, operations: [
                {command: "x"}, {command: "x", copies: 1}, {command: "x", copies: 2, outputs: ["y"]}, {kind: "noop"},
                {command: "x", outputs: []}
            ]}
            """
        )
        #expect(submission.entries.map { submission.templates[$0.template].work.copies } == [3, 1, 2, 1, 1])
        #expect(message(#"{operations: [{command: "x", copies: 2}]}"#)?.contains("has no outputs") == true)
        for copies in [0, 17] {
            let text = "{operations: [{command: \"x\", outputs: [\"y\"], copies: \(copies)}]}"
            #expect(message(text)?.contains("16") == true)
        }
    }

    @Test("An operation takes no processors and no memory with 0, whatever the defaults ask for")
    func nothingTaken() throws {
        let members = #"operations: [{command: "x"}, {command: "x", cpus: 0, memory: 0}, {command: "x", memory: "0"}]"#
        let submission = try read("{defaults: {cpus: 2, memory: \"1G\"}, \(members)}")
        let requests = submission.entries.map { submission.templates[$0.template].request }
        #expect(requests.map(\.cpus) == [2_000, 0, 2_000])
        #expect(requests.map(\.memory) == [1 << 30, 0, 0])
        #expect(message(#"{operations: [{command: "x", cpus: -1}]}"#)?.contains("from 0 to 1000") == true)
        #expect(
            message(#"{operations: [{command: "x", memory: -1}]}"#)?.contains("from 1M to 1024T, or 0 for none") == true
        )
    }

    @Test("RT4 Memory and timeout may be ranges, and a plain value of an operation is none, whatever the defaults have")
    func ranges() throws {
        let operations = """
            {command: "x"}, {command: "x", memory: "4G", timeout: "3h"}, {command: "x", memory: "1G..2G"},
            {command: "x", memory: 0, timeout: null}
            """
        let submission = try read("{defaults: {memory: '2G..16G', timeout: '1h..8h'}, operations: [\(operations)]}")
        let templates = submission.entries.map { submission.templates[$0.template] }
        #expect(templates.map(\.work.memory) == [2 << 30, 4 << 30, 1 << 30, nil])
        #expect(templates.map(\.memoryUpTo) == [16 << 30, nil, 2 << 30, nil])
        #expect(templates.map(\.work.timeout) == [.seconds(3600), .seconds(10_800), .seconds(3600), nil])
        #expect(templates.map(\.timeoutUpTo) == [.seconds(28_800), nil, .seconds(28_800), nil])
        let text = GraphFileWriter.text(of: submission)
        #expect(text.contains(#""memory": "2G..16G""#) && text.contains(#""timeout": "1h..8h""#))
        #expect(try read(text) == submission)
        let backwards = message("{operations: [{command: 'x', memory: '16G..2G'}]}")
        #expect(
            backwards?.contains("a range such as 2G..16G, from 1M on, whose end is not below its beginning") == true
        )
        #expect(message("{operations: [{command: 'x', timeout: '0s..2h'}]}")?.contains("such as 1h..8h") == true)
        #expect(message("{operations: [{command: 'x', memoryUpTo: '2G'}]}")?.contains("unknown key") == true)
    }

    @Test("RT2 Ends of attempts are numbers and texts, in arrays or alone")
    func ends() throws {
        for written in ["[75, '64-66', 'timeout']", "'75,64-66,timeout'", "['75,64-66', 'timeout']"] {
            let submission = try read("{operations: [{command: 'x', retryOn: \(written)}]}")
            let expected: [EndCondition] = [.statuses(75...75), .statuses(64...66), .reason(.timeout)]
            #expect(submission.templates.first?.retryOn == expected, "\(written)")
        }
        #expect(try read("{operations: [{command: 'x', finalStatus: 100}]}").templates[0].finalStatus.count == 1)
        #expect(message("{operations: [{command: 'x', retryOn: ['slow']}]}")?.contains("\"slow\"") == true)
        #expect(message("{operations: [{command: 'x', noRetryOn: 256}]}")?.contains("from 1 to 255") == true)
        #expect(message("{operations: [{command: 'x', finalStatus: 'exit'}]}")?.contains("\"exit\"") == true)
    }

    // A user of Slurm writes megabytes: sbatch --mem=4000.
    @Test("A size below 1 MiB needs a unit, as a number and as a text", arguments: ["4000", "1048575", "1", "'4000'"])
    func sizeWithoutUnit(written: String) throws {
        let number = written.filter(\.isNumber)
        let found = message("{operations: [{command: 'x', memory: \(written)}]}")
        #expect(found?.hasSuffix("\(number) has no unit: write \(number)M") == true, "\(found ?? "")")
        let submission = try read("{operations: [{command: 'x', memory: '\(number)M'}]}")
        #expect(submission.templates.first?.work.memory == Int64(number).map { $0 << 20 })
        #expect(message("{operations: [{command: 'x', memory: 1048576}]}") == nil)
    }

    // Its program did not start, with the error "Argument list too long".
    @Test(
        "A size in which no program starts is refused",
        arguments: ["'10k'", "'1023K'", "'1048575B'", "'0.5M'", "'10k..2G'"]
    )
    func tooSmall(written: String) {
        let found = message("{operations: [{command: 'x', memory: \(written)}]}")
        #expect(found?.contains(", from 1M ") == true, "\(found ?? "")")
        let sizes = ["'1024K'", "'1M'", "'1M..2G'", "'0'", "0"]
        for size in sizes { #expect(message("{operations: [{command: 'x', memory: \(size)}]}") == nil, "\(size)") }
    }

    @Test(
        "FI1 Outputs are patterns below the directory of the operation, whose list takes the place of that of the defaults"
    )
    func outputs() throws {
        let operations = "[{command: 'x'}, {command: 'x', outputs: ['b/', 'c?']}, {command: 'x', outputs: []}]"
        let submission = try read("{defaults: {outputs: ['*.a']}, operations: \(operations)}")
        let outputs = submission.entries.map { submission.templates[$0.template].work.outputs }
        #expect(outputs == [["*.a"], ["b/", "c?"], []])
        for (pattern, problem) in [("../b", "has the part"), ("/b", "begins with a slash"), ("", "is empty")] {
            let found = message("{operations: [{command: 'x', outputs: ['a', '\(pattern)']}]}")
            #expect(found?.contains(problem) == true, "\(found ?? "")")
        }
        #expect(message("{operations: [{command: 'x', outputs: 'a'}]}")?.contains("an array of patterns") == true)
    }

    @Test(
        "An operation's own workspace takes the place of a directory from elsewhere, and the other way round",
        arguments: [true, false]
    )
    func workspaces(comesFirst: Bool) throws {
        func members(_ workspace: String, _ directory: String) -> String {
            (comesFirst ? [workspace, directory] : [directory, workspace]).filter { !$0.isEmpty }.joined(
                separator: ", "
            )
        }
        func graph(_ operation: String, _ defaults: String) -> String {
            let operation = operation.isEmpty ? "command: 'x'" : "command: 'x', \(operation)"
            return "{defaults: {\(defaults)}, operations: [{\(operation)}]}"
        }
        func work(_ operation: String, _ defaults: String) throws -> Work {
            try #require(try read(graph(operation, defaults)).templates.first).work
        }
        let fresh = "workspace: 'fresh'"
        for (operation, defaults) in [
            (members(fresh, ""), ""), (members(fresh, ""), "cwd: '/a'"), (members(fresh, "cwd: null"), "cwd: '/a'"),
            ("", fresh),
            ("cwd: null", members(fresh, "cwd: '/a'")),
            (members(fresh, ""), members("workspace: 'shared'", "cwd: '/a'")),
        ] {
            let found = try work(operation, defaults)
            #expect(found.workspace == .fresh && found.directory == nil, "\(operation) with \(defaults)")
        }
        for (operation, defaults, directory) in [
            ("workspace: 'shared'", fresh, "/home/me"), ("cwd: '/b'", fresh, "/b"),
            (members("workspace: 'shared'", "cwd: '/b'"), fresh, "/b"),
            ("workspace: 'shared'", members(fresh, "cwd: '/a'"), "/a"),
            ("cwd: '/b'", members("workspace: 'shared'", "cwd: '/a'"), "/b"),
        ] {
            let found = try work(operation, defaults)
            #expect(found.workspace == .shared && found.directory == directory, "\(operation) with \(defaults)")
        }
        for (operation, defaults) in [(members(fresh, "cwd: '/b'"), ""), ("", members(fresh, "cwd: '/b'"))] {
            let found = message(graph(operation, defaults))
            #expect(found?.contains("has the directory \"/b\" and a fresh workspace") == true, "\(found ?? "")")
        }
    }

    @Test("Defaults for the files of commands do not concern Swift operations, and those of one are refused")
    func filesOfTypes() throws {
        let members = "outputs: ['a'], workspace: 'fresh'"
        let submission = try read("{defaults: {\(members)}, operations: [{type: 'T'}, {kind: 'noop'}, {command: 'x'}]}")
        let works = submission.entries.map { submission.templates[$0.template].work }
        #expect(works.map(\.outputs) == [[], [], ["a"]])
        #expect(works.map(\.workspace) == [.shared, .shared, .fresh])
        #expect(message("{operations: [{type: 'T', outputs: ['a']}]}")?.contains("is for commands") == true)
        #expect(message("{operations: [{type: 'T', workspace: 'fresh'}]}")?.contains("is for commands") == true)
        #expect(
            message("{operations: [{kind: 'noop', outputs: ['a']}]}")?.contains("without a command has outputs") == true
        )
    }

    @Test("Picked inputs have places below the directory of the operation, and are added to those of the defaults")
    func inputs() throws {
        func picks(_ operation: String, _ defaults: String) throws -> [String: String] {
            let operations = "[{name: 'a', command: 'x'}, {command: 'x', needs: ['a'], \(operation)}]"
            let submission = try read("{defaults: {\(defaults)}, operations: \(operations)}")
            return submission.templates[try #require(submission.entries.last).template].work.picks
        }
        let fresh = "workspace: 'fresh'"
        let own = "inputs: {'reads/*.fq': 'in/', 'align/x.bam': 'x.bam'}, \(fresh)"
        #expect(try picks(own, "") == ["reads/*.fq": "in/", "align/x.bam": "x.bam"])
        let defaults = "inputs: {'a/*': 'in/', 'b': 'b'}, \(fresh)"
        #expect(try picks("inputs: {'b': 'c', 'd?': './'}", defaults) == ["a/*": "in/", "b": "c", "d?": "./"])
        #expect(try picks("priority: 0", defaults) == ["a/*": "in/", "b": "b"])
        // Defaults for a workspace do not concern an operation that says that it has none.
        for operation in ["cwd: '/b'", "workspace: 'shared'"] {
            #expect(try picks(operation, defaults).isEmpty, "\(operation)")
        }
        for (operation, problem) in [
            ("inputs: {'a/x': 'x'}", "Give it a workspace of its own"),
            ("inputs: {'a/x': '/x'}", "begins with a slash"),
            ("inputs: {'a/x': '../x'}", "has the part"), ("inputs: {'../x': 'x'}", "below it, such as"),
            ("inputs: {'a/x': 'x', 'b/y': 'x'}", "one place"), ("inputs: {'a/x': 7}", "a place, in quotes"),
            ("inputs: ['a/x']", "an object with a place for each pattern"),
            ("inputs: {'a/x': 'x'}, cwd: '/b'", "workspace of its own"),
        ] {
            let found = message("{operations: [{command: 'x', \(operation)}]}")
            #expect(found?.contains(problem) == true, "\(operation): \(found ?? "")")
        }
        let homeless = message("{defaults: {inputs: {'a/x': 'x'}}, operations: [{command: 'x'}]}")
        #expect(homeless?.contains("workspace of its own") == true)
        let idle = "{defaults: {\(defaults)}, operations: [{kind: 'noop'}, {type: 'T'}]}"
        #expect(try read(idle).templates.allSatisfy { $0.work.picks.isEmpty })
        #expect(
            message("{operations: [{kind: 'noop', inputs: {'a': 'a'}, \(fresh)}]}")?.contains("picks inputs") == true
        )
        #expect(message("{operations: [{type: 'T', inputs: {'a': 'a'}}]}")?.contains("is for commands") == true)
    }

    @Test("A job's files are kept for a time that the file or the command line says")
    func keepFiles() throws {
        let submission = try read("{keepFiles: '7d', operations: [{command: 'x'}]}")
        #expect(submission.settings.keepFiles == .seconds(7 * 86_400))
        let text = GraphFileWriter.text(of: submission)
        #expect(text.contains(#""keepFiles": "7d""#))
        #expect(try read(text) == submission)
        var other = options
        other.additions.keepFiles = .seconds(60)
        let changed = try GraphFile.submission(from: Array(text.utf8), options: other)
        #expect(changed.settings.keepFiles == .seconds(60))
        #expect(message("{keepFiles: 7, operations: [{command: 'x'}]}")?.contains("a duration") == true)
    }

    @Test("A job's files have a limit that the file or the command line says")
    func filesLimit() throws {
        let sizes: [(String, Int64)] = [
            ("'20G'", 20 << 30), ("'1.5M'", 3 << 19), ("'300B'", 300), ("1048576", 1 << 20), ("'1024T'", 1 << 50),
        ]
        for (written, bytes) in sizes {
            let submission = try read("{filesLimit: \(written), operations: [{command: 'x'}]}")
            #expect(submission.settings.filesLimit == bytes, "\(written)")
            let text = GraphFileWriter.text(of: submission)
            #expect(try read(text) == submission, "\(text)")
            var other = options
            other.additions.filesLimit = 7
            let changed = try GraphFile.submission(from: Array(text.utf8), options: other)
            #expect(changed.settings.filesLimit == 7)
        }
        for written in ["0", "'0'", "-1", "'1025T'", "'many'", "true", "1.5", "[1]", "500", "'500'"] {
            let sentence = message("{filesLimit: \(written), operations: [{command: 'x'}]}")
            #expect(sentence?.contains("512M") == true || sentence?.contains("has no unit") == true, "\(written)")
        }
    }

    @Test("All options together are read as they were written", arguments: 0..<3)
    func together(choice: Int) throws {
        var (template, entry) = OperationOption.allSet(choosing: choice)
        // A barrier is a single operation.
        template.maxConcurrent = nil
        let submission = Submission(templates: [template], entries: [entry])
        #expect(try read(GraphFileWriter.text(of: submission)) == submission)
    }

    @Test("An unknown option is refused with the nearest key")
    func unknown() {
        #expect(message(#"{operations: [{command: "x", retrys: 1}]}"#)?.contains("did you mean \"retries\"?") == true)
        #expect(message(#"{defaults: {comand: "x"}, operations: []}"#)?.contains("unknown key \"comand\"") == true)
    }
}
