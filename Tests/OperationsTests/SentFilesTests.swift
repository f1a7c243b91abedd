@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Files of submitters")
struct SentFilesTests {
    private static let command = Work.Kind.commands([["true"]])

    private func template(_ kind: Work.Kind = Self.command, _ change: (inout Work) -> Void = { _ in }) -> Template {
        var work = Work(kind)
        change(&work)
        return Template(work: work)
    }

    private func refusal(_ body: () throws(Refusal) -> Void) -> Refusal? {
        do throws(Refusal) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("Each command without a place of its own needs the files, and finds them in a workspace of its own")
    func given() throws {
        var submission = Submission(
            templates: [
                template(), template { $0.directory = "/data" }, template(.noOperation),
                template {
                    $0.workspace = .fresh
                    $0.picks = ["x/*": "in/"]
                }, template(.typed(type: "T", argument: [])),
            ],
            entries: [
                Entry(name: "a"), Entry(template: 1), Entry(template: 2), Entry(template: 3),
                Entry(
                    dependencies: [Dependency(on: .entry(0), condition: .any)],
                    array: .numbers(first: 1, step: 1, count: 9)
                ),
                Entry(template: 4),
            ]
        )
        try submission.send(["."])
        #expect(submission.sent == SentFiles(entry: 6, paths: ["."]))
        #expect(submission.entries[6].name == "sent" && submission.entries.count == 7)
        let sent = Dependency(on: .entry(6), condition: .success)
        let dependencies = submission.entries.map { Array($0.dependencies) }
        #expect(dependencies == [[sent], [], [], [], [Dependency(on: .entry(0)), sent], [], []])
        for entry in submission.entries {
            let work = submission.templates[entry.template].work
            #expect((work.picks == ["sent/": "./"]) == entry.dependencies.contains(sent))
            #expect((work.workspace == .fresh) == (work.picks.isEmpty == false))
        }
        try submission.validated()
    }

    @Test(
        "An operation with a directory or picks of its own stays as it is, and one that needs the files by name is enough"
    )
    func left() throws {
        let own: [Template] = [
            template { $0.directory = "/data" },
            template {
                $0.workspace = .fresh
                $0.picks = ["sent/data/": "in/"]
            },
        ]
        for template in own {
            var none = Submission(templates: [template], entries: [Entry(), Entry()])
            let found = refusal { () throws(Refusal) in try none.send(["x"]) }
            #expect(found?.message.contains("No operation gets the files") == true)
            let needs = Dependency(on: .entry(2), condition: .success)
            var one = Submission(templates: [template], entries: [Entry(), Entry(dependencies: [needs])])
            try one.send(["x"])
            #expect(one.templates[0] == template && one.entries[0].dependencies.isEmpty)
            #expect(Array(one.entries[1].dependencies) == [needs])
        }
        var open = Submission(queueNames: [], templates: [], entries: [])
        try open.send(["x"])
        open.isOpen = true
        try open.validated()
    }

    @Test("The name of the files is taken only once")
    func taken() {
        var submission = Submission(templates: [template()], entries: [Entry(name: "sent")])
        let found = refusal { () throws(Refusal) in try submission.send(["x"]) }
        #expect(found?.code == .duplicateName && found?.message.contains("\"sent\"") == true)
    }

    @Test("A barrier may need the files, which come behind it", arguments: [0, 1, 2])
    func barrier(position: Int) throws {
        var entries = [Entry(), Entry(), Entry()]
        entries[position].isBarrier = true
        var submission = Submission(templates: [template()], entries: entries)
        try submission.send(["x"])
        try submission.validated()
        submission.sent = nil
        #expect(throws: Refusal.self, "the wait would be one for ever") { try submission.validated() }
    }

    @Test("Files belong to an operation of their name without a command, a dependency or a condition")
    func entry() throws {
        let changes: [(inout Submission) -> Void] = [
            { $0.sent?.entry = 0 }, { $0.sent?.entry = 7 }, { $0.entries[1].isHeld = true },
            { $0.entries[1].delay = .seconds(1) }, { $0.entries[1].template = 0 }, { $0.entries[1].isCancelled = true },
            { $0.entries[1].array = .numbers(first: 0, step: 1, count: 1) }, { $0.entries[1].name = "other" },
        ]
        for (number, change) in changes.enumerated() {
            var submission = Submission(templates: [template()], entries: [Entry(name: "a")])
            try submission.send(["x"])
            try submission.validated()
            change(&submission)
            #expect(throws: Refusal.self, "\(number)") { try submission.validated() }
        }
    }

    @Test("Paths are distinct, lead nowhere else, and none is a directory of others")
    func paths() {
        let right: [[String]] = [[], ["a"], ["a/b", "a.b", "a/c/d", "ab"], ["a", "A", "a-/b"]]
        for paths in right { #expect(SentFiles.objection(toPaths: paths.shuffled()) == nil, "\(paths)") }
        let wrong: [([String], String)] = [
            (["a", "b", "a"], "for one path, \"a\""),
            (["a/b/c", "a.b", "a/b"], "directory are sent for one path, \"a/b\""),
            (["../a"], "Rename"), (["/a"], "Rename"), ([""], "Rename"),
            ((0...KeptFile.maximumCount).map { "\($0)" }, "more than 65536 files"),
            ((0..<3000).map { "\($0)/" + String(repeating: "x/", count: 1500) + "x" }, "bytes, and at most"),
        ]
        for (paths, words) in wrong {
            #expect(SentFiles.objection(toPaths: paths.shuffled())?.contains(words) == true, "\(words)")
        }
    }

    @Test("The files distinguish submissions with the same key")
    func digest() throws {
        var submission = Submission(key: "k", templates: [template()], entries: [Entry()])
        let without = submission.digest
        try submission.send(["x"])
        var seen: Set<UInt64> = [without]
        for files in [
            [], [SampleDigests.file("a")], [SampleDigests.file("b")], [SampleDigests.file("a", 2)],
            [SampleDigests.file("a", mode: 0o755)], [SampleDigests.file("a"), SampleDigests.file("b")],
        ] {
            submission.sent?.files = files
            #expect(seen.insert(submission.digest).inserted)
            submission.sent?.paths.append("y")
            #expect(!seen.insert(submission.digest).inserted, "where the files are makes no difference")
        }
    }

    @Test("Files cannot be sent by a schedule, nor with operations for an open job")
    func elsewhere() throws {
        var submission = Submission(templates: [template()], entries: [Entry()])
        try submission.send(["x"])
        let scheduled = refusal { () throws(Refusal) in try submission.checkAsScheduled() }
        #expect(scheduled?.message.contains("cannot send files") == true)
        let added = refusal { () throws(Refusal) in try submission.checkAsAddition() }
        #expect(added?.message.contains("cannot bring files that are sent") == true)
        #expect(try !ValidatedSubmission(submission).canBeTakenInTurns)
    }

    @Test(
        "Each content counts once, more than a limit is refused, to the byte, and the limit is named that has to be raised"
    )
    func bytes() {
        let files = [
            SampleDigests.file("a", 1, size: 600), SampleDigests.file("b", 1, size: 600),
            SampleDigests.file("c", 2, size: 400), SampleDigests.file("d", 3, size: -5),
        ]
        #expect(SentFiles.bytes(of: files) == 1000 && SentFiles.bytes(of: []) == 0)
        let large = [SampleDigests.file("a", 1, size: .max), SampleDigests.file("b", 2, size: .max)]
        #expect(SentFiles.bytes(of: large) == .max)
        for (asked, allowed, option) in [
            (nil, nil, nil), (1000, nil, nil), (nil, 1000, nil), (999, nil, "--files-limit"),
            (nil, 999, "--job-files-limit"), (999, 1 << 40, "--files-limit"), (1 << 40, 999, "--job-files-limit"),
            (999, 999, "--job-files-limit"), (1, 999, "--job-files-limit"), (998, 999, "--job-files-limit"),
            (999, 1000, "--files-limit"),
        ] as [(Int64?, Int64?, String?)] {
            let refusal = SentFiles.objection(toBytes: 1000, asked: asked, allowed: allowed)
            #expect((refusal == nil) == (option == nil))
            guard let refusal, let option else { continue }
            #expect(refusal.code == .invalid && refusal.message.contains("(\(option))"))
            #expect(refusal.message.contains("1000B") && refusal.message.contains("999B"), "\(refusal)")
        }
    }
}
