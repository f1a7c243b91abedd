@_spi(Baton) import BatonOperations
import Testing

@Suite("Retries of jobs", .timeLimit(.minutes(60)))
struct RetryTests {
    let number = JobNumber(12)

    private func template(_ word: String) -> Template { Template(work: Work(.commands([[word]]))) }

    func job(_ entries: [Entry], _ change: (inout Submission) -> Void = { _ in }) -> JobRecord {
        var submission = Submission(templates: [template("true")], entries: entries)
        change(&submission)
        return JobRecord(number: number, submittedAt: Timestamp(rawValue: 5), order: 100, submission: submission)
    }

    /// The outcomes of operations, a letter for each.
    ///
    /// The letters are s(ucceeded), f(ailed), c(ancelled), k (skipped because of a failure), x (skipped because of a
    /// cancellation), n(ot needed), - (unfinished), and capitals for operations with a result.
    private func fates(_ letters: String) -> OperationFates {
        let fates = letters.map { letter in
            let outcomes: [Character: Outcome] = [
                "s": .succeeded, "f": .failed, "c": .cancelled, "k": .skipped, "x": .skipped, "n": .skipped,
            ]
            let skips: [Character: OperationFate.Skip] = ["x": .cancellation, "n": .notNeeded]
            return OperationFate(
                outcome: outcomes[Character(letter.lowercased())],
                hasResult: letter.isUppercase,
                skip: skips[letter] ?? .failure
            )
        }
        return OperationFates(fates)
    }

    private func retry(
        _ job: JobRecord,
        _ letters: String,
        _ changed: [UInt32: [Dependency]] = [:],
        _ selection: RetrySelection = RetrySelection(includesDependents: false)
    ) throws -> Submission {
        let found = try Submission.retrying(
            JobToRetry(job: job, fates: fates(letters), dependencies: changed),
            selecting: selection
        )
        let retry = try #require(found)
        try retry.validated()
        #expect(retry.retryOf == job.number)
        return retry
    }

    func on(_ entries: Int..., condition: DependencyCondition = .any) -> [Dependency] {
        entries.map { Dependency(on: .entry($0), condition: condition) }
    }

    func old(_ indices: UInt32..., condition: DependencyCondition = .any) -> [Dependency] {
        indices.map {
            Dependency(on: .existing(.operation(OperationID(job: number, index: $0))), condition: condition)
        }
    }

    func array(_ count: Int) -> ArrayValues { .numbers(first: 10, step: 5, count: count) }

    private func picked(_ numbers: Int64...) -> ArrayValues {
        .picked(numbers.map { .init(number: $0, item: String($0)) })
    }

    @Test("An operation with added commands is retried with them, an array element as its own entry")
    func operationAddedCommandsRetried() throws {
        let job = job([Entry(array: array(3)), Entry(name: "single")])
        let added: [UInt32: [[String]]] = [0: [["true"], ["a"]], 1: [["true"], ["b"]], 3: [["true"], ["c"]]]
        let retry = try #require(try Submission.retrying(JobToRetry(job: job, fates: fates("sfff"), commands: added)))
        try retry.validated()
        let elements = [20, 15].map { ArrayValues.numbers(first: $0, step: 5, count: 1) }
        #expect(retry.entries.map(\.array) == elements + [nil])
        let works = retry.entries.map { retry.templates[$0.template].work.kind }
        #expect(works == [.commands([["true"]]), .commands([["true"], ["b"]]), .commands([["true"], ["c"]])])
    }

    @Test("D11 Cancelled operations and the skips because of them are retried only on request")
    func d11CancelledOperationsSkips() throws {
        let job = job([
            Entry(name: "failed"), Entry(name: "cancelled"), Entry(name: "c", dependencies: on(1, condition: .success)),
            Entry(name: "k", dependencies: on(0, 1, condition: .success)),
        ])
        let plain = try retry(job, "fcxk")
        #expect(plain.entries.map(\.name) == ["failed", "k"])
        #expect(plain.entries[1].dependencyArray == on(0, condition: .success) + old(1, condition: .success))
        let all = try retry(job, "fcxk", [:], RetrySelection(includesCancelled: true))
        #expect(all.entries.map(\.name) == ["failed", "cancelled", "c", "k"])
        #expect(all.entries[3].dependencyArray == on(0, 1, condition: .success))
        let selection = RetrySelection(includesCancelled: true)
        #expect(
            try Submission.retrying(JobToRetry(job: job, fates: fates("scxs")), selecting: selection)?.entries.count
                == 3
        )
        #expect(try Submission.retrying(JobToRetry(job: job, fates: fates("scxs"))) == nil)
    }

    @Test("D11 A retry includes every dependent of a retried operation, unless they are left out")
    func d11RetryIncludesEvery() throws {
        let job = job([
            Entry(name: "a"), Entry(name: "after", dependencies: on(0)),
            Entry(name: "alert", dependencies: on(0, condition: .failure)),
            Entry(name: "last", dependencies: on(1, condition: .success)), Entry(name: "other"),
            Entry(name: "stopped", dependencies: on(0)), Entry(name: "behind", dependencies: on(5)),
            Entry(name: "unneeded", dependencies: on(1, condition: .failure)),
        ])
        let retry = try retry(job, "fsssscsn", [:], RetrySelection())
        #expect(retry.entries.map(\.name) == ["a", "after", "alert", "last", "unneeded"])
        #expect(retry.entries[4].dependencyArray == on(1, condition: .failure))
        #expect(try self.retry(job, "fsssscsn").entries.map(\.name) == ["a"])
        // A retry needs more than dependents.
        #expect(try Submission.retrying(JobToRetry(job: job, fates: fates("snsssssn"))) == nil)
        let all = try self.retry(job, "fsssscsn", [:], RetrySelection(includesCancelled: true))
        #expect(all.entries.map(\.name) == ["a", "after", "alert", "last", "stopped", "behind", "unneeded"])
    }

    @Test("D11 A retry includes what was added to the job and depends on a retried element of an array")
    func d11AddedDependents() throws {
        let job = job([
            Entry(name: "many", array: array(3)), Entry(name: "added", dependencies: old(1)),
            Entry(name: "other", dependencies: old(2)),
        ])
        let retry = try retry(job, "sfsss", [:], RetrySelection())
        #expect(retry.entries.map(\.name) == ["many", "added"])
        #expect(retry.entries[0].array == .numbers(first: 15, step: 5, count: 1))
        #expect(retry.entries[1].dependencyArray == on(0))
    }

    @Test("D11 A retry of named operations includes what they need and did not get, and no other failure")
    func d11RetryNamedOperations() throws {
        let job = job([
            Entry(name: "a"), Entry(name: "b", dependencies: on(0, condition: .success)), Entry(name: "other"),
            Entry(name: "many", array: array(3)), Entry(name: "end", dependencies: on(1, 3)),
        ])
        func names(_ operations: Range<UInt32>...) throws -> [String?] {
            try retry(job, "fkfsffs", [:], RetrySelection(operations: operations)).entries.map(\.name)
        }
        #expect(try names(2..<3) == ["other"])
        #expect(try names(1..<2) == ["a", "b", "end"])
        #expect(try names(0..<1, 2..<3) == ["a", "b", "other", "end"])
        let elements = try retry(job, "fkfsffs", [:], RetrySelection(operations: [4..<5], includesDependents: false))
        #expect(elements.entries.map(\.array) == [.numbers(first: 15, step: 5, count: 1)])
        for operations in [3..<4, 6..<7, 90..<91 as Range<UInt32>] {
            let selection = RetrySelection(operations: [operations])
            #expect(try Submission.retrying(JobToRetry(job: job, fates: fates("fkfsffs")), selecting: selection) == nil)
        }
    }

    // MARK: - What is retried

    @Test(
        "D11 A job in which nothing failed or was skipped has no retry",
        arguments: ["sss", "ccc", "---", "s-c", "SC-", ""]
    )
    func d11JobWhichNothing(letters: String) throws {
        let job = job([Entry(), Entry(array: array(2))])
        #expect(try Submission.retrying(JobToRetry(job: job, fates: fates(letters))) == nil)
    }

    @Test("D11 A retry has the failed and the skipped operations of a job, and no others")
    func d11RetryHasFailed() throws {
        let names = ["succeeded", "failed", "cancelled", "skipped", "unfinished", "failedWithResult"]
        let retry = try retry(job(names.map { Entry(name: $0) }), "sfck-F")
        #expect(retry.entries.map(\.name) == ["failed", "skipped", "failedWithResult"])
    }

    @Test("An operation without a known fate counts as unfinished and is not retried")
    func operationWithoutKnownFate() throws {
        let job = job([Entry(name: "a"), Entry(name: "b"), Entry(array: array(3))])
        #expect(try retry(job, "f").entries.map(\.name) == ["a"])
        #expect(try retry(job, "ssf").entries.map(\.array) == [.numbers(first: 10, step: 5, count: 1)])
        #expect(try retry(job, "f" + "sssssssss").entries.count == 1)
    }

    @Test("A retried entry keeps its name, template, queue, priority and barrier, not its delay and hold")
    func retriedEntryKeepsName() throws {
        let entry = Entry(
            name: "b",
            template: 2,
            queue: 1,
            priority: .high,
            delay: .seconds(5),
            isHeld: true,
            isBarrier: true
        )
        var last = template("last")
        last.retries = 3
        last.retryDelay = .seconds(9)
        last.qualityOfService = .utility
        last.restart = .never
        last.onFinish = ["sh", "-c", "echo"]
        let job = job([Entry(name: "a", queue: 2), entry, Entry(template: 1, queue: 2)]) {
            $0.name = "night"
            $0.key = "once"
            $0.queueChanges = [QueueChange(name: "q", maxConcurrent: .atMost(2))]
            $0.queueNames = ["p", "q", "r"]
            $0.templates = [template("first"), template("unused"), last]
        }
        var expected = Submission(
            name: "night",
            queueNames: ["r", "q"],
            templates: [template("first"), last],
            entries: [
                Entry(name: "a", template: 0, queue: 0),
                Entry(name: "b", template: 1, queue: 1, priority: .high, isBarrier: true),
            ]
        )
        expected.retryOf = number
        #expect(try retry(job, "fks") == expected)
    }

    @Test("The fate of an operation follows from the state, outcome and skip of its record")
    func fateOperationFollowsFrom() {
        var record = OperationRecord(id: OperationID(job: number, index: 0))
        #expect(OperationFate(record) == OperationFate())
        record.state = .finished
        record.outcome = .failed
        record.hasResult = true
        #expect(OperationFate(record) == OperationFate(outcome: .failed, hasResult: true))
        #expect(
            Outcome.allCases.filter { OperationFate(outcome: $0).isRetried(withCancelled: false) } == [
                .failed, .skipped,
            ]
        )
        #expect(!OperationFate().isRetried(withCancelled: true))
        record.outcome = .skipped
        for (ending, skip) in [
            (nil, OperationFate.Skip.failure), (.failed(record.id), .failure), (.cancelled(record.id), .cancellation),
            (.notNeeded, .notNeeded),
        ] as [(Ending?, OperationFate.Skip)] {
            record.skippedFor = ending
            #expect(OperationFate(record).skip == skip)
        }
    }

    @Test("A retry from the record of a job equals a retry from its fates and changed dependencies")
    func retryFromRecordJob() throws {
        let job = job([Entry(name: "a"), Entry(name: "many", array: array(4)), Entry(name: "b", dependencies: on(0))])
        func record(_ index: UInt32, count: UInt32 = 1, _ outcome: Outcome, hasResult: Bool = false) -> OperationRecord
        {
            var record = OperationRecord(id: OperationID(job: number, index: index), count: count, state: .finished)
            record.outcome = outcome
            record.hasResult = hasResult
            return record
        }
        let running = OperationRecord(id: OperationID(job: number, index: 1), state: .executing)
        // The last record has more operations than the job, an error of the record.
        let records = [
            record(0, .succeeded, hasResult: true), running, record(2, count: 2, .skipped),
            record(5, count: 9, .failed),
        ]
        let changed: [UInt32: [Dependency]] = [5: on(1)]
        let restored = RestoredJob(job: job, records: records, dependencies: changed)
        #expect(
            try Submission.retrying(JobToRetry(restored))
                == Submission.retrying(JobToRetry(job: job, fates: fates("S-kk-f"), dependencies: changed))
        )
        #expect(
            try Submission.retrying(JobToRetry(restored))?.entries.map(\.dependencyArray) == [[], on(0) + old(1, 4)]
        )
        #expect(try Submission.retrying(JobToRetry(RestoredJob(job: job, records: [running]))) == nil)
    }

    // MARK: - Dependencies

    @Test("Dependencies among retried operations refer to entries of the retry")
    func dependenciesAmongRetriedOperations() throws {
        let job = job([
            Entry(name: "d", dependencies: on(1, condition: .success) + on(2, condition: .failure)),
            Entry(name: "b", dependencies: on(3)),
            Entry(name: "c", dependencies: on(3)),
            Entry(name: "a"),
        ])
        let retry = try retry(job, "kfkf")
        #expect(retry.entries.map(\.name) == ["d", "b", "c", "a"])
        #expect(
            retry.entries.map(\.dependencyArray) == [
                on(1, condition: .success) + on(2, condition: .failure), on(3), on(3), [],
            ]
        )
        let second = try self.retry(job, "kfsf")
        #expect(
            second.entries.map(\.dependencyArray) == [
                on(1, condition: .success) + old(2, condition: .failure), on(2), [],
            ]
        )
    }

    @Test(
        "DE20 A dependency on an operation that is not retried becomes one on its address",
        arguments: ["s", "S", "c", "C", "-"],
        DependencyCondition.allCases
    )
    func dependencyOperationRetriedBecomes(
        letter: String,
        condition: DependencyCondition
    ) throws {
        let job = job([Entry(name: "a"), Entry(name: "b", dependencies: on(0, condition: condition))])
        #expect(try retry(job, letter + "f").entries == [Entry(name: "b", dependencies: old(0, condition: condition))])
    }

    @Test("The dependencies of a retried operation on other jobs stay as they are")
    func dependenciesRetriedOperationOther() throws {
        let others: [Dependency] = [
            Dependency(on: .existing(.job(JobNumber(3))), condition: .success),
            Dependency(on: .existing(.operation(OperationID(job: JobNumber(3), index: 1))), condition: .failure),
        ]
        let job = job([Entry(), Entry(dependencies: others)])
        #expect(try retry(job, "ff").entries.map(\.dependencyArray) == [[], others])
    }

    // MARK: - Arrays

    @Test("An array that is retried whole stays one array, and its dependents depend on it as a whole")
    func arrayRetriedWholeStays() throws {
        for values in [array(3), .lines(["a", "b", "c"]), picked(7, 9, 3)] {
            let job = job([
                Entry(name: "many", array: values), Entry(dependencies: on(0, condition: .success)),
                Entry(dependencies: on(0, condition: .failure)),
            ])
            let retry = try retry(job, "fkfkk")
            #expect(retry.entries[0] == Entry(name: "many", array: values))
            #expect(retry.entries[1].dependencyArray == on(0, condition: .success))
            #expect(retry.entries[2].dependencyArray == on(0, condition: .failure))
        }
    }

    @Test("EL2 Arrays that depend on each other element by element are retried at the same positions")
    func elements() throws {
        let pair = [
            Entry(name: "sim", array: array(4)),
            Entry(name: "post", dependencies: [Dependency(on: .elements(0), condition: .success)], array: array(4)),
        ]
        let both = try retry(job(pair), "sfsf" + "sksk")
        let left = ArrayValues.numbers(first: 15, step: 10, count: 2)
        #expect(both.entries.map(\.array) == [left, left])
        #expect(both.entries[1].dependencies.map(\.target) == [.elements(0)])

        let later = try retry(job(pair), "ssss" + "sfsf")
        #expect(later.entries.map { $0.array?.count } == [1, 1])
        let old = [1, 3].map { Dependency.Target.existingElements(.operations(number, UInt32($0)..<UInt32($0) + 1)) }
        #expect(later.entries.flatMap(\.dependencies).map(\.target) == old)

        let mixed = try retry(job(pair), "ffss" + "kkfs")
        #expect(mixed.entries.map { $0.array?.count } == [2, 2, 1])
        #expect(mixed.entries.map(\.name) == ["sim", "post", nil])
        #expect(
            mixed.entries.map { $0.dependencies.map(\.target) }
                == [[], [.elements(0)], [.existingElements(.operations(number, 2..<3))]]
        )
    }

    @Test("EL2 A retry takes the dependents of the retried elements, and what named elements need, and no others")
    func elementDependents() throws {
        let pair = [
            Entry(name: "sim", array: array(4)),
            Entry(dependencies: [Dependency(on: .elements(0))], array: array(4)),
        ]
        let retry = try retry(job(pair), "sffs" + "ssss", [:], RetrySelection())
        #expect(retry.entries.map { $0.array?.number(at: 0) } == [15, 15])
        #expect(retry.entries.map { $0.array?.count } == [2, 2])
        #expect(retry.entries[1].dependencies.map(\.target) == [.elements(0)])
    }

    @Test("Retried elements keep their numbers and items, also in a retry of the retry")
    func retriedElementsKeepTheir() throws {
        let entries = [Entry(name: "n", array: array(5)), Entry(name: "l", array: .lines(["a", "", "c", "a"]))]
        let retry = try retry(job(entries), "fsskf" + "skSf")
        #expect(retry.entries.map(\.name) == ["n", "l"])
        #expect(retry.entries[0].array == picked(10, 25, 30))
        #expect(retry.entries[1].array == .picked([.init(number: 1, item: ""), .init(number: 3, item: "a")]))
        #expect(
            try self.retry(job(entries), "sfffs" + "ssss").entries.map(\.array) == [
                .numbers(first: 15, step: 5, count: 3)
            ]
        )
        // And so do they in a retry of the retry.
        let again = try self.retry(job(retry.entries), "skf" + "fs")
        #expect(again.entries[0].array == picked(25, 30))
        #expect(again.entries[1].array == .picked([.init(number: 1, item: "")]))
    }

    @Test(
        "A dependent of a partly retried array depends on its retried and its relevant other elements",
        arguments: [DependencyCondition.any, .success]
    )
    func dependentPartlyRetriedArray(
        condition: DependencyCondition
    ) throws {
        let job = job([
            Entry(name: "first"), Entry(name: "many", array: array(6)),
            Entry(dependencies: on(1, condition: condition)),
        ])
        // Succeeded without and with a result, failed, cancelled, unfinished, skipped.
        let retry = try retry(job, "s" + "sSfc-k" + "f")
        #expect(retry.entries[0].array == .numbers(first: 20, step: 15, count: 2))
        #expect(retry.entries[1].dependencyArray == on(0, condition: condition) + old(2, 4, 5, condition: condition))
    }

    @Test("A dependency on an array that succeeded is kept only for its elements with a result")
    func dependencyArraySucceededKept() throws {
        let job = job([Entry(array: array(3)), Entry(dependencies: on(0, condition: .success))])
        #expect(try retry(job, "sssf").entries == [Entry()])
        #expect(try retry(job, "sSsf").entries[0].dependencyArray == old(1, condition: .success))
    }

    @Test("DE9 A dependency on an array's failure becomes one on its retried and relevant other elements")
    func dependencyArraySFailure() throws {
        let job = job([Entry(array: array(5)), Entry(dependencies: on(0, condition: .failure))])
        // One failed element is enough; elements that succeeded without a result do not matter.
        let failure = DependencyCondition.failure
        #expect(
            try retry(job, "fsSc-k").entries[1].dependencyArray
                == on(0, condition: failure) + old(2, 3, 4, condition: failure)
        )
        #expect(
            try retry(job, "fsscnk").entries[1].dependencyArray == on(0, condition: failure)
                + old(3, condition: failure)
        )
        // No element failed: the dependent is skipped again.
        #expect(try retry(job, "ssScck").entries[0].dependencyArray == old(2, 3, 4, condition: failure))
        #expect(try retry(job, "sssssk").entries[0].dependencyArray == old(0, condition: failure))
    }

    @Test("DE25 A dependency on an array of which nothing was needed is kept on one of its elements")
    func dependencyArrayWhichNothing() throws {
        let job = job([Entry(array: array(2)), Entry(dependencies: on(0, condition: .success))])
        #expect(try retry(job, "nnf").entries[0].dependencyArray == old(0, condition: .success))
        #expect(try retry(job, "nsf").entries[0].dependencyArray.isEmpty)
    }

    // MARK: - Dependencies that were changed after the submission

    @Test("The changed dependencies of an operation replace those of its submission in the retry")
    func changedDependenciesOperationReplace() throws {
        let job = job([Entry(name: "a"), Entry(name: "b"), Entry(name: "c", dependencies: on(0))])
        let retry = try retry(job, "ffk", [2: old(1, condition: .success), 0: []])
        #expect(retry.entries.map(\.dependencyArray) == [[], [], on(1, condition: .success)])
        // A dependency on an operation outside of the retry stays an address; operations outside of the retry do not
        // matter.
        #expect(
            try self.retry(job, "sff", [2: old(0, 1), 0: old(1)]).entries.map(\.dependencyArray) == [
                [], old(0) + on(0),
            ]
        )
        #expect(try Submission.retrying(JobToRetry(job: job, fates: fates("sss"), dependencies: [2: old(0)])) == nil)
    }

    @Test("An array element with its own dependencies or dependents becomes an entry of its own")
    func arrayElementOwnDependencies() throws {
        let job = job([
            Entry(name: "first"), Entry(name: "many", dependencies: on(0, condition: .success), array: array(5)),
            Entry(name: "after", dependencies: on(1)),
        ])
        // The third element (index 3) waits for the second (index 2).
        let retry = try retry(job, "sffffsf", [3: old(2, condition: .success)])
        #expect(retry.entries.map(\.name) == ["many", nil, nil, "after"])
        #expect(
            retry.entries.map(\.array) == [
                .numbers(first: 10, step: 15, count: 2),
                .numbers(first: 15, step: 5, count: 1), .numbers(first: 20, step: 5, count: 1), nil,
            ]
        )
        #expect(
            retry.entries.map(\.dependencyArray) == [
                old(0, condition: .success), old(0, condition: .success), on(1, condition: .success), on(0, 1, 2),
            ]
        )
    }

    @Test("The only retried element of an array keeps the name of the array")
    func onlyRetriedElementArray() throws {
        let job = job([Entry(name: "many", array: .lines(["a", "b"])), Entry(name: "after", dependencies: on(0))])
        let retry = try retry(job, "sff", [1: old(0)])
        #expect(
            retry.entries == [
                Entry(name: "many", dependencies: old(0), array: .picked([.init(number: 1, item: "b")])),
                Entry(name: "after", dependencies: on(0)),
            ]
        )
    }

    @Test("The failure of an array that is split in the retry is the failure of any of its parts")
    func failureArraySplitRetry() throws {
        let job = job([Entry(array: array(3)), Entry(dependencies: on(0, condition: .failure))])
        let retry = try retry(job, "fffk", [1: []])
        #expect(retry.entries.count == 3)
        #expect(retry.entries[2].dependencyArray == on(0, 1, condition: .failure))
    }

    // MARK: - Any job

    @Test(
        "A retry of a random job has each retried operation once, with the dependencies of the model",
        arguments: 0..<40 as Range<UInt64>
    )
    func retryRandomJobHas(
        seed: UInt64
    ) throws {
        var random = RandomJob(seed: seed)
        for _ in 0..<25 {
            let (job, fates, changed) = random.make(number)
            let selection = random.selection(job)
            let model = RetryModel(job: job, fates: fates, changed: changed, selection: selection)
            guard
                let retry = try Submission.retrying(
                    JobToRetry(job: job, fates: OperationFates(fates), dependencies: changed),
                    selecting: selection
                )
            else {
                #expect(model.retried.isEmpty)
                continue
            }
            try retry.validated()
            #expect(retry.name == job.submission.name)
            #expect(retry.queueChanges.isEmpty)
            #expect(Set(retry.queueNames).count == retry.queueNames.count)
            #expect(model.dependencies(in: retry) == model.expected, "seed \(seed)")
        }
    }

    @Test(
        "The submission of a random job's retry is the one that is made operation by operation",
        arguments: 0..<40 as Range<UInt64>
    )
    func listed(seed: UInt64) throws {
        var random = RandomJob(seed: seed)
        for round in 0..<25 {
            let made = random.make(number)
            var fates = made.fates
            // Neighbours that ended alike, in every second job.
            if round % 2 == 0 { fates = fates.indices.map { fates[$0 - $0 % 3] } }
            let (job, changed, selection) = (made.job, made.changed, random.selection(made.job))
            let model = RetryModel(job: job, fates: fates, changed: changed, selection: selection)
            let listed = ListedRetry(job: job, fates: fates, changed: changed, retried: model.retried)
            let expected: Submission? = model.retried.isEmpty ? nil : listed.submission
            let retry = try Submission.retrying(
                JobToRetry(job: job, fates: OperationFates(fates), dependencies: changed),
                selecting: selection
            )
            #expect(retry == expected, "seed \(seed)")
        }
    }

    @Test("A chain and an array of 100,000 operations are retried within the time limit")
    func chainArray100000() throws {
        let length = 100_000
        let chain = job((0..<length).map { Entry(dependencies: $0 == 0 ? [] : on($0 - 1, condition: .success)) })
        let retry = try retry(chain, "f" + String(repeating: "k", count: length - 1))
        #expect(retry.entries.map(\.dependencyArray) == chain.submission.entries.map(\.dependencyArray))

        // 1,000 dependents of an array of which every second element succeeded.
        let wide = job(
            [Entry(array: array(length))] + (0..<1000).map { _ in Entry(dependencies: on(0, condition: .success)) }
        )
        let letters = String(repeating: "sf", count: length / 2) + String(repeating: "k", count: 1000)
        let second = try self.retry(wide, letters)
        #expect(second.entries[0].array == .numbers(first: 15, step: 10, count: length / 2))
        #expect(second.entries.dropFirst().allSatisfy { $0.dependencyArray == on(0, condition: .success) })
    }
}

extension Entry {
    /// The dependencies, to be compared with an array.
    var dependencyArray: [Dependency] { Array(dependencies) }
}
