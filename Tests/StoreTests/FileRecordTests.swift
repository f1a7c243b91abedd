@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the files that workers keep of operations, in the record.
@Suite("Files in the record", .timeLimit(.minutes(60)))
struct FileRecordTests {
    /// A job of single operations, some of which have left files, and perhaps results, with their first attempt.
    private func makeJob(
        _ number: UInt32,
        _ names: [String?],
        files: [UInt32: [KeptFile]],
        results: Set<UInt32> = [],
        settings: JobSettings = JobSettings(),
        in test: TestStore
    ) throws {
        var job = JobRecord(number, names.map { Entry(name: $0) })
        job.submission.settings = settings
        var changes: [RecordChange] = [.job(job)]
        for index in UInt32(0)..<UInt32(names.count) {
            var record = OperationRecord.finished(number, index, hasResult: results.contains(index))
            if let files = files[index] {
                record.hasFiles = true
                changes.append(.files(record.id, attempt: 1, files))
            }
            changes.append(.operation(record))
        }
        try test.store.commit(changes)
    }

    private func finish(_ number: UInt32, operations: Int, at time: Timestamp, in test: TestStore) throws {
        try test.store.commit([.jobFinished(JobNumber(number), JobCounts(succeeded: operations), time)])
    }

    @Test("The files of an attempt replace those of an earlier one, whole", arguments: StoreKind.allCases)
    func replaces(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let id = OperationID(1, 1)
        try makeJob(1, ["a", "b"], files: [1: [.sample("z"), .sample("a/b", size: 0, mode: 0o755)]], in: test)
        #expect(try test.store.files(of: id) == [.sample("a/b", size: 0, mode: 0o755), .sample("z")])
        #expect(try test.store.file(of: id, path: "z") == .sample("z"))
        for (other, path) in [(id, "Z"), (OperationID(1, 0), "z"), (OperationID(2, 1), "z")] {
            #expect(try test.store.file(of: other, path: path) == nil)
        }
        let later = (0..<300).map { KeptFile.sample("f\($0 + 100)", size: Int64($0), seed: UInt8($0 % 251)) }
        try test.store.commit([.files(id, attempt: 4, later.shuffled())])
        try test.restart()
        #expect(try test.store.files(of: id) == later)
        let source = FileSource(operation: id, attempt: 4, files: later)
        #expect(try test.store.fileSources(of: [OperationID(1, 0), id, OperationID(9, 0)]) == [source])
        #expect(test.state.jobs.first?.files == [source] && test.state.files == [source])
        try test.store.commit([.files(id, attempt: 5, [])])
        #expect(try test.store.files(of: id) == [])
    }

    @Test(
        "Two paths that look alike, with an accent in one character or in two, are two files",
        arguments: StoreKind.engines
    )
    func alikePaths(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let (one, two) = (KeptFile.sample("\u{E9}", size: 1), KeptFile.sample("e\u{301}", size: 2))
        try makeJob(1, ["a"], files: [0: [one, two]], in: test)
        #expect(try test.store.file(of: OperationID(1, 0), path: "\u{E9}")?.size == 1)
        #expect(try test.store.file(of: OperationID(1, 0), path: "e\u{301}")?.size == 2)
    }

    @Test("The pages of a job's files have each file once, in order", arguments: [1, 2, 3, 7, 100])
    func pages(_ limit: Int) throws {
        let test = try TestStore()
        let files: [UInt32: [KeptFile]] = [
            0: [.sample("b"), .sample("a")], 2: [.sample("c", size: 40)], 3: (0..<9).map { .sample("d\($0)") },
        ]
        try makeJob(1, [nil, nil, nil, nil, "last"], files: files, in: test)
        func paths(_ operations: ClosedRange<UInt32>) throws -> [String] {
            var paths: [String] = []
            while true {
                let page = try test.store.files(ofJob: JobNumber(1), in: operations, from: paths.count, limit: limit)
                #expect(page.count <= limit)
                paths += page.map { "\($0.operation.index)/\($0.file.path)" }
                if page.count < limit { return paths }
            }
        }
        let all = ["0/a", "0/b", "2/c"] + (0..<9).map { "3/d\($0)" }
        #expect(try paths(0...UInt32.max) == all)
        #expect(try paths(1...2) == ["2/c"] && paths(4...9) == [])
        let size = try test.store.sizeOfFiles(ofJob: JobNumber(1), in: 0...2)
        #expect(size == FilesSize(count: 3, bytes: 46))
        #expect(try test.store.sizeOfFiles(ofJob: JobNumber(2), in: 0...2) == FilesSize())
    }

    @Test(
        "A dependent finds files in a folder with the name that a result has, which has a suffix beside files",
        arguments: StoreKind.engines
    )
    func folders(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let file = KeptFile.sample("out/x")
        try makeJob(
            1,
            ["both", "files", "result", "none", nil, "both.result"],
            files: [0: [file], 1: [file, .sample("y")], 4: [file], 5: [file]],
            results: [0, 2],
            in: test
        )
        let on = { (indices: [UInt32]) in
            indices.map { Dependency(on: .existing(.operation(OperationID(1, $0))), condition: .success) }
        }
        let entries = [
            Entry(dependencies: on([0, 1, 2, 3, 4])), Entry(dependencies: on([5, 0])),
            Entry(dependencies: [Dependency(on: .existing(.job(JobNumber(1))), condition: .success)]),
        ]
        try test.store.commit([.job(JobRecord(2, entries))])
        func folders(_ index: UInt32) throws -> [String] {
            let inputs = try test.store.inputs(of: OperationID(2, index), calledBy: .number)
            return inputs.files.map { "\($0.folder)/\($0.file.path)" }
        }
        #expect(try folders(0) == ["both/out/x", "files/out/x", "files/y", "1.4/out/x"])
        #expect(try folders(1) == ["both.result/out/x", "both/out/x"])
        #expect(try folders(2).first == "1.both/out/x")
        func results(_ index: UInt32) throws -> [String] {
            try test.store.inputs(of: OperationID(2, index), calledBy: .number).results.map(\.fileName)
        }
        #expect(try results(0) == ["both.result", "result"])
        // The name of one operation equals the name of another operation's result.
        #expect(try results(1) == ["1.0.result"])
        for index in UInt32(0)..<3 {
            let inputs = try test.store.inputs(of: OperationID(2, index), calledBy: .number)
            let results = try test.store.dependenciesWithResults(of: OperationID(2, index), calledBy: .number)
            #expect(inputs.results == results)
            #expect(Set(inputs.files.map(\.folder)).isDisjoint(with: results.map(\.fileName)))
        }
    }

    @Test(
        "DE20 Folders of elements are called by the items, where a result has the item's name by the number",
        arguments: StoreKind.engines
    )
    func foldersByItem(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let need = Dependency(on: .entry(0), condition: .success)
        let entries = [Entry(name: "l", array: .lines(["x", "x", "y"])), Entry(name: "sum", dependencies: [need])]
        var changes: [RecordChange] = [.job(JobRecord(1, entries))]
        for index in UInt32(0)..<3 {
            var record = OperationRecord.finished(1, index, hasResult: index == 1)
            record.hasFiles = index != 1
            changes.append(.operation(record))
            if record.hasFiles { changes.append(.files(record.id, attempt: 1, [.sample("f")])) }
        }
        try test.store.commit(changes)
        let inputs = try test.store.inputs(of: OperationID(1, 3), calledBy: .item)
        #expect(inputs.files.map(\.folder) == ["l.x", "l.y"])
        #expect(inputs.results.map(\.fileName) == ["l.1"])
    }

    @Test(
        "The end of a dependency tells that it left files, for an operation, an array and a job",
        arguments: StoreKind.engines
    )
    func ends(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        try makeJob(1, ["a", "b"], files: [1: [.sample("f")]], in: test)
        try finish(1, operations: 2, at: .at(1), in: test)
        func hasFiles(_ address: Address) throws -> Bool? { try test.store.dependencyEnd(of: address)?.hasFiles }
        #expect(try hasFiles(.operation(OperationID(1, 0))) == false)
        #expect(try hasFiles(.operation(OperationID(1, 1))) == true && hasFiles(.named(JobNumber(1), "b")) == true)
        #expect(try hasFiles(.job(JobNumber(1))) == true)
        let fates = try #require(try test.store.jobToRetry(JobNumber(1))).fates
        #expect(fates.runs.map(\.fate.hasFiles) == [false, true])
    }

    @Test(
        "A restart finds the files of operations on which unfinished ones of other jobs depend, each once",
        arguments: StoreKind.engines
    )
    func restart(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        for number in UInt32(1)...3 {
            try makeJob(number, ["a", "b"], files: [0: [.sample("f\(number)")], 1: [.sample("g")]], in: test)
            try finish(number, operations: 2, at: .at(1), in: test)
        }
        let targets: [Address] = [.operation(OperationID(1, 1)), .job(JobNumber(2)), .named(JobNumber(2), "a")]
        let entries = targets.map { Entry(dependencies: [Dependency(on: .existing($0), condition: .success)]) }
        try test.store.commit([.job(JobRecord(4, entries))])
        try test.restart()
        #expect(test.state.files.map(\.operation) == [OperationID(1, 1), OperationID(2, 0), OperationID(2, 1)])
        #expect(test.state.files.first == FileSource(operation: OperationID(1, 1), attempt: 1, files: [.sample("g")]))
        #expect(test.state.jobs.map(\.files) == [[]])
    }

    @Test(
        "The files of an operation have the copies that it wants, also of an array, after an addition and a restart",
        arguments: StoreKind.engines
    )
    func copies(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        func template(_ copies: Int) -> Template {
            var template = Template(work: Work(.commands([["make"]]), environment: ["copies": "5"]))
            template.work.outputs = ["*"]
            template.work.copies = copies
            return template
        }
        let array = Entry(template: 1, array: .lines(["x", "y", "z"]))
        var job = JobRecord(1, [Entry(template: 0), array, Entry(template: 2)])
        job.submission.templates = [template(1), template(3), template(16)]
        var plain = JobRecord(2, [Entry(template: 0)])
        plain.submission.templates = [template(1)]
        var changes: [RecordChange] = [.job(job), .job(plain)]
        let wanted = [1, 3, 3, 3, 16]
        for (number, index) in (0..<UInt32(5)).map({ (UInt32(1), $0) }) + [(2, 0)] {
            var record = OperationRecord.finished(number, index, hasResult: false)
            record.hasFiles = true
            changes += [.files(record.id, attempt: 1, [.sample("f"), .sample("g")]), .operation(record)]
        }
        try test.store.commit(changes)
        func check() throws {
            #expect(try test.store.fileSources(of: .job(JobNumber(1))).map(\.copies) == wanted)
            for index in UInt32(0)..<5 {
                let sources = try test.store.fileSources(of: [OperationID(1, index), OperationID(2, 0)])
                #expect(sources.map(\.copies) == [wanted[Int(index)], 1])
            }
            let files = try test.store.files(ofJob: JobNumber(1), in: 1...4, from: 1, limit: 100)
            #expect(files.map(\.copies) == [3, 3, 3, 3, 3, 16, 16])
        }
        try check()
        try test.restart()
        try check()
        #expect(test.state.files.map(\.copies) == wanted + [1])
    }

    @Test(
        "A restart finds the files that finished jobs keep for a time which has not passed by the record's clock",
        arguments: StoreKind.engines
    )
    func keptFiles(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let times: [UInt32: Duration?] = [1: nil, 2: .seconds(10), 3: .seconds(100), 4: .seconds(100)]
        try test.store.commit([.clock(.at(1000), at: .at(1000))])
        for number in UInt32(1)...4 {
            var settings = JobSettings(tags: ["keepFiles": "\"keepFiles\""])
            settings.keepFiles = times[number] ?? nil
            let files: [UInt32: [KeptFile]] = number == 4 ? [:] : [0: [.sample("f")]]
            try makeJob(number, ["a"], files: files, settings: settings, in: test)
            try finish(number, operations: 1, at: .at(1000), in: test)
        }
        try test.store.commit([.clock(.at(1050), at: .at(1050))])
        try test.restart()
        #expect(test.state.filesKeptUntil == [JobNumber(3): .at(1100), JobNumber(4): .at(1100)])
        #expect(test.state.files.map(\.operation) == [OperationID(3, 0)])
        // The time goes on with the coordinator, whatever the host's clock shows.
        var state = test.state
        _ = state.begin(at: .at(9050))
        #expect(state.filesKeptUntil[JobNumber(3)] == .at(9100))
    }

    @Test(
        "A history has what was fetched for attempts and what they left, and only that of its operations",
        arguments: StoreKind.engines
    )
    func transfers(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let names = (0..<4).map { "n\($0)" }
        let files: [UInt32: [KeptFile]] = [1: [.sample("f"), .sample("g")], 3: [.sample("h")]]
        try makeJob(1, names, files: files, in: test)
        func fetch(_ number: Int64) -> FetchRecord {
            FetchRecord(sentAt: .at(number), arrivedAt: .at(number + 1), files: UInt32(number), bytes: 100 * number)
        }
        // One operation has had more attempts than the record keeps.
        let many = UInt32(AttemptRecord.maximumCount) + 5
        var changes: [RecordChange] = [
            .fetch(OperationID(1, 0), attempt: 1, fetch(3)), .fetch(OperationID(1, 3), attempt: 2, fetch(4)),
        ]
        changes += (1...many).map { RecordChange.fetch(OperationID(1, 2), attempt: $0, fetch(Int64($0))) }
        try test.store.commit(changes)
        let whole = try #require(try test.store.history(of: JobNumber(1), from: 0, limit: 10))
        #expect(whole.fetches.filter { $0.operation != 2 }.map(\.attempt) == [1, 2])
        #expect(whole.fetches.first == HistoryFetch(operation: 0, attempt: 1, fetch: fetch(3)))
        let kept = whole.fetches.filter { $0.operation == 2 }.map(\.attempt)
        #expect(kept == Array(many - UInt32(AttemptRecord.maximumCount)...many))
        #expect(whole.files.map(\.operation) == [1, 3] && whole.files.map(\.count) == [2, 1])
        for (sums, operation) in zip(whole.files, [1, 3] as [UInt32]) {
            #expect(sums.bytes == files[operation]?.reduce(0) { $0 + $1.size })
        }
        for from: UInt32 in 0..<4 {
            for limit in 1...4 {
                let part = try #require(try test.store.history(of: JobNumber(1), from: from, limit: limit))
                let range = from..<from + UInt32(limit)
                #expect(part.fetches == whole.fetches.filter { range.contains($0.operation) })
                #expect(part.files == whole.files.filter { range.contains($0.operation) })
            }
        }
    }

    @Test(
        "An attempt that makes lost files again takes nothing from the result of the operation",
        arguments: StoreKind.engines
    )
    func resultOfEarlierAttempt(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let (id, copy) = (OperationID(1, 0), OperationID(2, 0))
        try makeJob(1, ["a"], files: [0: [.sample("f")]], results: [0], in: test)
        try test.store.commit([.output(id, AttemptOutput(attempt: 1, "out", result: "first"))])
        var record = OperationRecord.finished(1, 0, hasResult: true)
        (record.hasFiles, record.attempt) = (true, 3)
        try test.store.commit([.operation(record)])
        #expect(try test.store.result(of: id) == Array("first".utf8))
        try makeJob(2, ["a"], files: [:], results: [0], in: test)
        try test.store.commit([.result(copy, from: id)])
        var taken = OperationRecord.finished(2, 0, hasResult: true)
        taken.attempt = 0
        try test.store.commit([.operation(taken)])
        #expect(try test.store.result(of: copy) == Array("first".utf8))
        // Its own result counts, if it leaves one.
        try test.store.commit([
            .output(id, AttemptOutput(attempt: 3, "", result: "third")),
            .output(id, AttemptOutput(attempt: 4, "", result: "later")), .files(id, attempt: 3, [.sample("g")]),
        ])
        #expect(try test.store.result(of: id) == Array("third".utf8))
        #expect(try test.store.files(of: id) == [.sample("g")])
    }

    @Test("A removed job leaves no files, and those of the others stay", arguments: [1, 40])
    func removal(_ files: Int) throws {
        let test = try TestStore(.file)
        for number in UInt32(1)...2 {
            let list = (0..<files).map { KeptFile.sample("f\($0)") }
            try makeJob(number, Array(repeating: nil, count: 60), files: [0: list, 7: list, 59: list], in: test)
            try finish(number, operations: 60, at: .at(Int64(number)), in: test)
        }
        #expect(try test.store.remove([JobNumber(1)], except: []) == .removed)
        #expect(try test.store.files(of: OperationID(1, 7)) == [])
        #expect(try test.store.fileSources(of: .job(JobNumber(1))) == [])
        while try test.store.removeFinished(beyond: .forever, except: [], at: .at(9)) {}
        let rows = try Database(path: test.path).number("SELECT count(*) FROM files")
        #expect(rows == Int64(3 * files))
        #expect(try test.store.files(of: OperationID(2, 59)).count == files)
    }

    @Test("People read files with their addresses, modes and digests")
    func readable() throws {
        let test = try TestStore(.file)
        try makeJob(1, ["a"], files: [0: [.sample("out/f", mode: 0o750, seed: 0xAB)]], in: test)
        let text = try Database(path: test.path)
            .prepare("SELECT operation || ' ' || path || ' ' || mode || ' ' || digest FROM file_list")
            .first { row throws(SQLError) in try row.text(0) }
        #expect(text == "1/0 out/f 0750 " + String(repeating: "ab", count: 32))
    }
}
