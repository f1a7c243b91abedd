import Foundation
import Glibc
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Files of a whole worker", .serialized, .timeLimit(.minutes(60)))
struct KeptFilesTests {
    private static func work(
        _ script: String,
        outputs: [String] = [],
        in workspace: Workspace = .shared,
        directory: String? = nil
    ) -> Work {
        var work = Work.shell(script)
        work.outputs = outputs
        work.workspace = workspace
        work.directory = directory
        return work
    }

    /// Runs an attempt with these files as inputs, as the coordinator does.
    private func run(
        _ work: Work,
        with files: [InputFile],
        results: [Input] = [],
        arrayItem: String? = nil,
        in test: WorkerTest
    ) throws -> AttemptResult {
        let item = try test.coordinator.dispatch(work) {
            $0.hasInputs = true
            $0.arrayItem = arrayItem
            $0.arrayNumber = arrayItem == nil ? nil : 1
        }
        guard case .fetchInputs(_, item.token, _) = try test.coordinator.next() else { throw Overdue() }
        for file in files { try test.coordinator.send(.inputFiles(item.token, [file])) }
        try test.coordinator.send(.inputs(item.token, results, isLast: true))
        return try #require(try test.coordinator.completions().first).result
    }

    /// What is in a directory of the worker.
    private func names(in place: String, of test: WorkerTest) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: test.directory + "/worker/" + place)) ?? []
    }

    @Test(
        "FI1 What an attempt declares is kept when it succeeds, in its directory or one of its own",
        arguments: Workspace.allCases
    )
    func kept(workspace: Workspace) async throws {
        try await WorkerTest.run { test in
            let directory = test.directory + "/shared"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let script = "mkdir -p r/s && printf 1 >r/s/x && printf 2 >a.txt && printf 3 >not-kept && chmod 750 a.txt"
            let work = Self.work(
                script,
                outputs: ["*.txt", "r/"],
                in: workspace,
                directory: workspace == .shared ? directory : nil
            )
            let result = try test.coordinator.run(work)
            #expect(result.end == .exited(0))
            let expected = [try KeptContent("2").file("a.txt", mode: 0o750), try KeptContent("1").file("r/s/x")]
            #expect(
                result.files.map(\.path) == ["a.txt", "r/s/x"] && result.files.map(\.digest) == expected.map(\.digest)
            )
            #expect(result.files[0].mode == 0o750)
            try test.coordinator.awaitHeld { $0 == Set(expected.map(\.digest)) }
            #expect(names(in: "workspaces", of: test) == [])
            #expect((access(directory + "/a.txt", F_OK) == 0) == (workspace == .shared))
        }
    }

    @Test("A fresh directory is empty, is where relative paths lead and what PWD says, and goes after any end")
    func fresh() async throws {
        try await WorkerTest.run { test in
            let script =
                "ls -A; test \"$PWD\" = \"$(pwd -P)\" && test -z \"$OLDPWD\" && echo here >file && mkdir -m 0 closed"
            for _ in 0..<2 {
                let result = try test.coordinator.run(Self.work(script, in: .fresh))
                #expect(result.end == .exited(0) && result.standardOutput.text == "")
            }
            // Attempts of one work in the worker's directory have another PWD.
            let elsewhere = try test.coordinator.run(script: "printf %s \"$PWD\"").standardOutput.text
            #expect(!elsewhere.contains("workspaces"))
            for ending in ["exit 3", "kill -9 $$"] {
                let result = try test.coordinator.run(Self.work("echo >x; \(ending)", outputs: ["x"], in: .fresh))
                #expect(result.end != .exited(0) && result.files.isEmpty)
            }
            var printing = Self.work("echo printed", outputs: ["out/*"], in: .fresh)
            printing.outputFile = "out/text"
            #expect(try test.coordinator.run(printing).files.map(\.path) == ["out/text"])
            #expect(names(in: "workspaces", of: test) == [])
        }
    }

    @Test("FI1 FI2 An attempt whose files cannot be kept fails, with no file and no result")
    func unkept() async throws {
        try await WorkerTest.run { test in
            for (script, outputs, words) in [
                ("true", ["*.bam"], "no file"),
                ("touch a; ln -s /etc/passwd b", ["a", "b"], "leads out"),
                ("mkfifo p", ["p"], "a named pipe"),
            ] {
                let work = Self.work("printf r >\"$BATON_RESULT\"; \(script)", outputs: outputs, in: .fresh)
                let result = try test.coordinator.run(work)
                guard case .unkeptFiles(let sentence) = result.end else {
                    Issue.record("\(result.end)")
                    continue
                }
                #expect(sentence.contains(words), "\(sentence)")
                #expect(result.files.isEmpty && result.result == nil)
            }
            #expect(names(in: "files/incoming", of: test) == [] && names(in: "workspaces", of: test) == [])
            #expect(test.coordinator.held.isEmpty)
        }
    }

    @Test(
        "FI5 Kept files are links below BATON_INPUTS, which cannot be written, beside results, and go after the attempt"
    )
    func inputs() async throws {
        try await WorkerTest.run { test in
            let made = try test.coordinator.run(
                Self.work("mkdir d && printf 1 >d/x && printf 2 >y && chmod +x y", outputs: ["d/", "y"], in: .fresh)
            )
            let files =
                made.files.map { InputFile(folder: "make", file: $0) }
                + made.files.map { InputFile(folder: "0", file: $0) }
            let script = """
                cd "$BATON_INPUTS" || exit 9
                find . -type f | LC_ALL=C sort
                cat make/d/x 0/y other make.result; echo
                stat -c '%a %n' make make/d 0 0/d make/d/x make/y
                stat -c %h make/d/x
                """
            let results = [
                Input(name: "make.result", bytes: Array("R".utf8)), Input(name: "other", bytes: Array("O".utf8)),
            ]
            let result = try run(.shell(script), with: files, results: results, in: test)
            #expect(
                result.standardOutput.text.split(separator: "\n").map(String.init) == [
                    "./0/d/x", "./0/y", "./make.result", "./make/d/x", "./make/y", "./other", "12OR", "555 make",
                    "555 make/d", "555 0",
                    "555 0/d", "444 make/d/x", "555 make/y", "3",
                ],
                "\(result.standardError.text)"
            )
            #expect(result.end == .exited(0))
            #expect(names(in: "inputs", of: test) == [])
        }
    }

    /// The sentence of an attempt that was not started.
    private func sentence(_ result: AttemptResult) -> String {
        guard case .notStarted(let sentence) = result.end else { return "\(result.end)" }
        return sentence
    }

    @Test(
        "FI3 Picked inputs are in a fresh workspace, at the places of the work and of the array's item, and may be left again"
    )
    func picked() async throws {
        try await WorkerTest.run { test in
            let made = try test.coordinator.run(
                Self.work("mkdir d && printf 1 >d/x.fq && printf 2 >y.fq", outputs: ["d/", "y.fq"], in: .fresh)
            )
            let files = made.files.map { InputFile(folder: "make", file: $0) }
            let script = "find . -type f | LC_ALL=C sort; cat in/x.fq in/y.fq r; stat -c %a in/x.fq && touch in/new"
            var work = Self.work(script, outputs: ["in/"], in: .fresh)
            work.picks = ["make/d/": "in/", "make/*.fq": "in/", "make.result": "r", "no/*?": "no/"]
            let results = [Input(name: "make.result", bytes: Array("R\n".utf8))]
            let result = try run(work, with: files, results: results, in: test)
            #expect(result.end == .exited(0), "\(result.standardError.text)")
            let lines = result.standardOutput.text.split(separator: "\n").map(String.init)
            #expect(lines == ["./in/x.fq", "./in/y.fq", "./r", "12R", "444"])
            #expect(result.files.map(\.path) == ["in/new", "in/x.fq", "in/y.fq"])
            #expect(result.files.dropFirst().map(\.digest) == made.files.map(\.digest))

            var element = Self.work("find . -type f; cat */*", in: .fresh)
            element.picks = ["make/{}.fq": "of-{}/"]
            #expect(sentence(try run(element, with: files, arrayItem: "../y", in: test)).contains("has the part"))
            // What is left of an attempt that was not started goes before the files of the next one come.
            let own = try run(element, with: files, arrayItem: "y", in: test)
            #expect(own.standardOutput.text == "./of-y/y.fq\n2" && own.end == .exited(0))
            #expect(names(in: "workspaces", of: test) == [] && names(in: "inputs", of: test) == [])
        }
    }

    @Test(
        "An attempt whose picked inputs are missing or in the way of a file for output is not started, and nothing is left of it"
    )
    func unpicked() async throws {
        try await WorkerTest.run { test in
            let made = try test.coordinator.run(Self.work("printf 1 >x", outputs: ["x"], in: .fresh))
            let files = made.files.map { InputFile(folder: "make", file: $0) }
            var work = Self.work("true", in: .fresh)
            work.picks = ["make/*.bam": "in/"]
            #expect(
                sentence(try run(work, with: files, in: test)).contains(
                    "matches none of its inputs: it has \"make/x\"."
                )
            )
            #expect(sentence(try test.coordinator.run(work)).contains("it has none"))
            work.picks = ["make/x": "in/"]
            work.outputFile = "in/x"
            #expect(sentence(try run(work, with: files, in: test)).contains("file of --stdout"))
            // What is left of an attempt that was not started goes before the files of the next one come.
            work.outputFile = "in/y"
            #expect(try run(work, with: files, in: test).end == .exited(0))
            #expect(names(in: "workspaces", of: test) == [] && names(in: "inputs", of: test) == [])
        }
    }

    @Test(
        "FI8 A kept file that an attempt damages or removes is lost for the next one, which is given back, and its worker is not at fault",
        arguments: [true, false]
    )
    func damagedInput(isRemoved: Bool) async throws {
        try await WorkerTest.run { test in
            let made = try test.coordinator.run(Self.work("printf good >x", outputs: ["x"], in: .fresh))
            let digest = made.files[0].digest
            try test.coordinator.awaitHeld { $0 == [digest] }
            let files = made.files.map { InputFile(folder: "a", file: $0) }
            let object = "\(test.directory)/worker/files/objects/\(digest.hexadecimal.prefix(2))/\(digest.hexadecimal)"
            let damage =
                isRemoved ? "rm -f '\(object)'" : "cd \"$BATON_INPUTS/a\" && chmod 644 x && printf evil >x"
            #expect(try run(.shell(damage), with: files, in: test).end == .exited(0))
            let next = try run(.shell("cat \"$BATON_INPUTS/a/x\""), with: files, in: test)
            guard case .lostInputs(let why) = next.end else {
                Issue.record("\(next.end)")
                return
            }
            #expect(why.contains(isRemoved ? digest.hexadecimal : "changed by another program"))
            #expect(test.coordinator.held.isEmpty, "the loss is told before the end")
            #expect(try test.coordinator.run(script: "true").end == .exited(0), "the host is not at fault")
            #expect(test.coordinator.damaged == (isRemoved ? [] : [digest]))
        }
    }

    @Test("FI8 A worker drops a file whose bytes have changed without a sign, once it is asked to look at it")
    func doubted() async throws {
        try await WorkerTest.run { test in
            let made = try test.coordinator.run(Self.work("printf 1 >x; printf 2 >y", outputs: ["[xy]"], in: .fresh))
                .files
            #expect(made.count == 2)
            try test.coordinator.awaitHeld { $0 == Set(made.map(\.digest)) }
            let damaged = made[0].digest.hexadecimal
            let path = "\(test.directory)/worker/files/objects/\(damaged.prefix(2))/\(damaged)"
            let change = "chmod 644 '\(path)' && printf 3 >'\(path)' && touch -d @946684800 '\(path)'"
            #expect(try test.coordinator.run(script: change).end == .exited(0))
            try test.coordinator.send(.verifyFiles(made.map(\.digest)))
            try test.coordinator.awaitHeld { $0 == [made[1].digest] }
        }
    }

    @Test("A worker that is started again holds what it kept, and removes what a killed life has left")
    func laterLife() async throws {
        try await withTemporaryDirectory { directory in
            var kept: [KeptFile] = []
            for life in 0..<2 {
                let coordinator = try FakeCoordinator()
                defer { coordinator.close() }
                if life == 1 {
                    let left = directory + "/worker/workspaces/9.9/closed/deep"
                    try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
                    chmod(directory + "/worker/workspaces/9.9/closed", 0)
                    FileManager.default.createFile(
                        atPath: directory + "/worker/files/incoming/5",
                        contents: Data("half".utf8)
                    )
                }
                let worker = try RunningWorker(.forTests(coordinator.endpoint, directory: directory))
                defer {
                    worker.stopNow()
                    do { try worker.awaitEnd() } catch { Issue.record(error) }
                }
                try coordinator.greet()
                if life == 0 {
                    kept = try coordinator.run(Self.work("printf 1 >x; printf 2 >y", outputs: ["[xy]"], in: .fresh))
                        .files
                    #expect(kept.count == 2)
                }
                try coordinator.awaitHeld { $0 == Set(kept.map(\.digest)) }
                #expect(access(directory + "/worker/workspaces/9.9", F_OK) != 0)
                #expect(access(directory + "/worker/files/incoming/5", F_OK) != 0)
            }
        }
    }

    @Test("D9 A worker whose room for files is taken gives the attempt back as having run, and goes on")
    func noRoom() async throws {
        try await withTemporaryDirectory { directory in
            let coordinator = try FakeCoordinator()
            defer { coordinator.close() }
            var options = WorkerOptions.forTests(coordinator.endpoint, directory: directory)
            options.filesLimit = 100
            let worker = try RunningWorker(options)
            defer {
                worker.stopNow()
                do { try worker.awaitEnd() } catch { Issue.record(error) }
            }
            try coordinator.greet()
            func leave(_ bytes: Int, _ digit: Int) throws -> AttemptResult {
                let script = "head -c \(bytes) /dev/zero | tr '\\0' \(digit) >x"
                return try coordinator.run(Self.work(script, outputs: ["x"], in: .fresh))
            }
            let first = try leave(60, 1)
            #expect(first.end == .exited(0))
            let lack = RoomLack(wanted: 50, limit: 100, taken: 60)
            #expect(try leave(50, 2).end == .noRoom(lack, hasRun: true))
            guard case .unkeptFiles = try leave(101, 3).end else {
                Issue.record("an attempt with more than the limit does not fail")
                return
            }
            #expect(try coordinator.run(script: "true").end == .exited(0), "it runs what leaves no files")
            try coordinator.send(.releaseFiles(first.files.map(\.digest)))
            let second = try leave(50, 4)
            #expect(second.end == .exited(0))
            try coordinator.awaitHeld { $0 == Set(second.files.map(\.digest)) }
        }
    }
}
