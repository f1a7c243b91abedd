import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import Testing
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonWorker

@Suite("An attempt's runner", .serialized, .timeLimit(.minutes(60)))
struct AttemptRunnerTests {
    /// An attempt runner without a worker's thread, whose steps the test takes.
    private struct Bench {
        let directory: WorkerDirectory
        let services: AttemptServices
        let runner: AttemptRunner
        let mailbox: PolledMailbox<WorkerLetter>
        private let poller = Poller()

        init(_ path: String, memoryWithoutRequest: Int64? = nil, shell: CommandShell? = nil) throws {
            directory = try WorkerDirectory(path)
            mailbox = try PolledMailbox()
            services = try AttemptServices(
                directory: directory,
                archive: OutputArchive(directory: directory.outputs),
                store: FileStore(directory: directory.files, limit: 1 << 30) { _, _ in },
                environment: .inherited(),
                coordinator: "tcp://127.0.0.1:1",
                mailbox: mailbox
            )
            runner = AttemptRunner(
                services,
                processes: try SupervisedProcesses(),
                memoryWithoutRequest: memoryWithoutRequest,
                shell: shell
            )
            _ = poller.add(mailbox.bell)
            _ = poller.add(fileDescriptor: runner.descriptor)
        }

        /// Starts an attempt; the numbers differ, as no token is given twice.
        func start(_ script: String, number: UInt64 = 1) {
            let batch = batch([token(number)], work: .shell(script))
            runner.start(batch.assigned[0])
        }

        /// Starts an attempt of several commands whose standard input is a file.
        func start(_ commands: [[String]], standardInput: String, number: UInt64 = 1) {
            var work = Work(.commands(commands))
            work.standardInput = standardInput
            runner.start(batch([token(number)], work: work).assigned[0])
        }

        /// Starts a waiting command, and waits until a process has ended.
        func startNextAndAwaitItsEnd() throws {
            _ = runner.startNext()
            while try poller.poll(timeout: FakeCoordinator.patience) == 0 {}
            _ = runner.takeEvents()
        }

        /// Takes a letter that files are ready, if one has come.
        func takeLetters() throws {
            while runner.timeUntilDue != .zero, try poller.poll(timeout: FakeCoordinator.patience) == 0 {}
            launchPrepared()
        }

        /// Launches the attempts whose files another thread has made ready.
        func launchPrepared() {
            for letter in mailbox.takeAll() {
                if case .attemptPrepared(let token, let output) = letter { runner.prepared(token, output) }
            }
        }

        /// Starts an attempt that does not end by itself, and waits until its command runs.
        func startEndless(number: UInt64) throws {
            let started = directory.path + "/started"
            start("touch '\(started)'; while :; do sleep 100; done", number: number)
            while access(started, F_OK) != 0 {
                _ = runner.startNext()
                _ = try poller.poll(timeout: .milliseconds(10))
                launchPrepared()
                _ = runner.takeEvents()
            }
        }

        /// Starts a waiting command, and waits for news or for the runner's next due time.
        func startNextAndPoll() throws {
            _ = runner.startNext()
            let untilDue = runner.timeUntilDue ?? FakeCoordinator.patience
            guard try poller.poll(timeout: untilDue) > 0 || untilDue < FakeCoordinator.patience else { throw Overdue() }
        }

        /// Waits until an attempt has no process any more; its output may still have to be collected.
        func awaitFreedSlot() throws {
            while true {
                try startNextAndPoll()
                launchPrepared()
                for event in runner.takeEvents() {
                    switch event {
                    case .slotFreed, .ended: return
                    case .startFailed, .startSucceeded, .stopped: break
                    }
                }
            }
        }

        /// Waits for the end of an attempt, and returns its result, and whether its slot was freed before.
        func awaitEnd() throws -> (result: AttemptResult, wasFreedBefore: Bool) {
            var wasFreed = false
            while true {
                try startNextAndPoll()
                for letter in mailbox.takeAll() {
                    switch letter {
                    case .attemptPrepared(let token, let output): runner.prepared(token, output)
                    case .attemptEnded(_, let result): return (result, wasFreed)
                    case .outputTrimmed(let token): runner.outputTrimmed(of: token)
                    case .found, .attemptsProgressed, .outputRead, .directoriesRestored, .stop, .finish, .stopNow: break
                    case .filesFetched, .filesUnavailable, .fetchFailed, .filesChanged, .filesVerified, .filesArriving,
                        .filesNotCopied, .fileLost:
                        break
                    }
                }
                for event in runner.takeEvents() {
                    switch event {
                    case .slotFreed: wasFreed = true
                    case .ended(_, let result): return (result, wasFreed)
                    case .startFailed, .startSucceeded, .stopped: break
                    }
                }
            }
        }
    }

    @Test(
        "If another attempt takes the slot, a runner collects the files of the last attempt after the slot is free",
        arguments: [("true", 0), ("echo printed", 8), ("head -c 65537 /dev/zero", 65_537)]
    )
    func collectedLater(script: String, length: UInt64) async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            bench.start(script)
            var told: [AttemptRunner.Event] = []
            while !told.contains(where: { if case .slotFreed = $0 { true } else { false } }) {
                try bench.startNextAndPoll()
                bench.launchPrepared()
                told += bench.runner.takeEvents(startsNext: true)
            }
            #expect(told.count == 1, "the end is not told yet, and the slot is freed once")

            var result: AttemptResult?
            for event in bench.runner.collect() {
                guard case .ended(_, let ended) = event else { throw Overdue() }
                result = ended
            }
            if result == nil {
                let end = try bench.awaitEnd()
                #expect(!end.wasFreedBefore, "the slot is not freed again")
                result = end.result
            } else {
                #expect(length <= 65_536, "long output is collected on another thread")
            }
            #expect(result?.standardOutput.totalLength == length)
            #expect(bench.runner.collect().isEmpty)
        }
    }

    @Test("Each end is told once, also if the files of the last attempt are collected later")
    func endsToldOnce() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            for number in UInt64(1)...3 { bench.start("read line", number: number) }
            var ends: [AttemptToken] = []
            while ends.count < 3 {
                try bench.startNextAndPoll()
                for letter in bench.mailbox.takeAll() {
                    switch letter {
                    case .attemptPrepared(let token, let output): bench.runner.prepared(token, output)
                    case .attemptEnded(let token, _): ends.append(token)
                    default: break
                    }
                }
                for event in bench.runner.takeEvents(startsNext: true) + bench.runner.collect() {
                    if case .ended(let token, _) = event { ends.append(token) }
                }
            }
            #expect(Set(ends).count == 3 && ends.count == 3)
            #expect(bench.runner.count == 0 && bench.runner.collect().isEmpty)
        }
    }

    @Test("Attempts whose processes are begun together end as each would alone", arguments: [2, 9, 20] as [UInt64])
    func begunTogether(count: UInt64) async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            for number in 1...count {
                if number % 4 == 0 {
                    bench.start([["/nonexistent/program"]], standardInput: "/dev/null", number: number)
                } else {
                    bench.start("echo \(number); exit \(number % 4)", number: number)
                }
            }
            var results: [AttemptToken: AttemptResult] = [:]
            while results.count < count {
                try bench.startNextAndPoll()
                for letter in bench.mailbox.takeAll() {
                    switch letter {
                    case .attemptPrepared(let token, let output): bench.runner.prepared(token, output)
                    case .attemptEnded(let token, let result): results[token] = result
                    default: break
                    }
                }
                while bench.runner.startNext() {}
                for event in bench.runner.takeEvents(startsNext: true) + bench.runner.collect() {
                    if case .ended(let token, let result) = event { results[token] = result }
                }
            }
            for number in 1...count {
                let result = results[token(number)]
                if number % 4 == 0 {
                    let sentence = "Cannot run \"/nonexistent/program\": No such file or directory."
                    #expect(result?.end == .notStarted(sentence))
                } else {
                    #expect(result?.end == .exited(Int32(number % 4)))
                    #expect(result?.standardOutput.text == "\(number)\n")
                }
            }
            #expect(bench.runner.count == 0 && bench.runner.collect().isEmpty)
        }
    }

    // The end of each attempt that printed anything passed through another thread, which cost more than the attempt.
    @Test("A runner frees the slot of an attempt with long output before its end, and of any other with its end")
    func slotAndEnd() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            bench.start("head -c 65537 /dev/zero")
            let long = try bench.awaitEnd()
            #expect(long.wasFreedBefore)
            #expect(long.result.standardOutput.totalLength == 65_537)

            var number: UInt64 = 1
            for (script, length) in [("true", 0), ("echo printed", 8), ("head -c 65536 /dev/zero", 65_536)] {
                // A new process of another test has a copy of the writers for a moment, and counts as one that prints
                // late: not each attempt ends at once.
                var wasFreedBefore = true
                while wasFreedBefore, number < 100 {
                    number += 1
                    bench.start(script, number: number)
                    let short = try bench.awaitEnd()
                    #expect(short.result.end == .exited(0))
                    #expect(short.result.standardOutput.bytes.count == length)
                    #expect(short.result.standardOutput.totalLength == UInt64(length))
                    wasFreedBefore = short.wasFreedBefore
                }
                #expect(!wasFreedBefore, "nothing is left to be collected of \(script)")
            }
        }
    }

    @Test("The next attempt runs before the output of the previous attempt has been collected")
    func collecting() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            // The thread that collects outputs waits.
            let isReleased = DispatchSemaphore(value: 0)
            bench.services.files.async { isReleased.wait() }
            bench.start("head -c 100000 /dev/zero")
            try bench.awaitFreedSlot()
            bench.start("true", number: 2)
            try bench.awaitFreedSlot()
            isReleased.signal()
            #expect(try bench.awaitEnd().result.standardOutput.totalLength == 100_000)
        }
    }

    @Test(
        "An attempt that is ended before it runs anything has the first cause as its end, and never runs",
        arguments: [
            (WorkerSession.EndCause.cancelled, AttemptEnd.cancelled(exitStatus: nil, signal: nil)),
            (.leaving, .stopped),
            (.coordinatorLost, .interrupted),
        ]
    )
    func endedBeforeStart(cause: WorkerSession.EndCause, end: AttemptEnd) async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            let ran = bench.directory.path + "/ran"
            bench.start("touch '\(ran)'")
            bench.runner.end(token(1), for: cause)
            bench.runner.end(token(1), for: cause == .cancelled ? .leaving : .cancelled)
            #expect(try bench.awaitEnd().result == AttemptResult(end: end))
            bench.start("true", number: 2)
            _ = try bench.awaitEnd()
            #expect(!FileManager.default.fileExists(atPath: ran), "and nothing of it runs afterwards")
        }
    }

    @Test("RT6 A paused attempt stays stopped while its output is trimmed, and a signal meanwhile has its effect later")
    func pause() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            let file = bench.directory.path + "/process"
            bench.start(
                "trap 'exit 8' USR1; echo $$ >'\(file).new'; mv '\(file).new' '\(file)'; while :; do sleep 1000 & wait; done"
            )
            while access(file, F_OK) != 0 {
                _ = bench.runner.startNext()
                bench.launchPrepared()
                _ = bench.runner.takeEvents()
            }
            let process = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
            func isStopped() throws -> Bool {
                try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).contains(") T ")
            }
            bench.runner.pause(token(1))
            while try !isStopped() {}
            bench.runner.outputTrimmed(of: token(1))
            #expect(try isStopped())
            bench.runner.signal(token(1), .user1)
            #expect(try isStopped())
            bench.runner.resume(token(1))
            #expect(try bench.awaitEnd().result.end == .exited(8))
        }
    }

    @Test("An attempt that asks for no memory is ended when it uses more than the worker gives such attempts")
    func memoryWithoutRequest() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path, memoryWithoutRequest: 50 << 20)
            bench.start("x=$(head -c 100000000 /dev/zero | tr '\\0' x); while :; do sleep 1000; done")
            #expect(try bench.awaitEnd().result.end == .exceededMemory(limit: 50 << 20))
            bench.start("true", number: 2)
            #expect(try bench.awaitEnd().result.end == .exited(0))
        }
    }

    @Test("BL8 A line without a shell of its own runs under the worker's shell, and other commands as they are")
    func shell() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path, shell: CommandShell("sh -e -c"))
            bench.start("false; exit 3")
            #expect(try bench.awaitEnd().result.end == .exited(1))
            bench.start([["sh", "-c", "false; exit 3"]], standardInput: "/dev/null", number: 2)
            #expect(try bench.awaitEnd().result.end == .exited(3))
        }
    }

    @Test("An attempt with a variable that no program can be given is not started, and the next attempt of the work is")
    func impossibleVariable() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            var impossible = Work.shell("true")
            impossible.environment = ["A": "a\0b"]
            func start(_ work: Work, item: String, number: UInt64) {
                let assignment = Assignment(
                    token: token(number),
                    operation: OperationID(job: JobNumber(1), index: 1),
                    attempt: 1,
                    arrayNumber: 1,
                    arrayItem: item
                )
                bench.runner.start(AssignedWork(assignment: assignment, work: work, queue: "main"))
            }
            start(impossible, item: "a", number: 1)
            let ofWork = try bench.awaitEnd().result.end
            #expect(ofWork == .notStarted("The environment variable \"A\" has a zero byte."))
            start(.shell("true"), item: "a\0b", number: 2)
            let ofAttempt = try bench.awaitEnd().result.end
            #expect(ofAttempt == .notStarted("The environment variable \"BATON_ITEM\" has a zero byte."))
            start(.shell("true"), item: "a", number: 3)
            #expect(try bench.awaitEnd().result.end == .exited(0))
            #expect(bench.runner.count == 0)
        }
    }

    // A job with environments of many megabytes, which no program takes, would fill the memory of the worker.
    @Test("A worker remembers the environments of the latest works, and none that is large")
    func keptEnvironments() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            var environments = WorkEnvironments()
            func encode(_ value: String) throws {
                var work = Work.shell("true")
                work.environment = ["A": value]
                _ = try environments.environment(of: batch([token(1)], work: work).assigned[0], bench.services)
            }
            try encode(String(repeating: "x", count: WorkEnvironments.mostBytes))
            #expect(environments.kept.isEmpty)
            for _ in 0..<2 { try encode(String(repeating: "x", count: WorkEnvironments.mostBytes - 1)) }
            #expect(environments.kept.count == 1)
            for number in 0..<20 { try encode("\(number)") }
            #expect(environments.kept.count == 8)
        }
    }

    @Test("A worker that control groups limit gives each slot an equal part of its memory, and any other none")
    func automaticMemory() {
        let container = AvailableMemory(bytes: 4 << 30, isLimited: true)
        let host = AvailableMemory(bytes: 64 << 30, isLimited: false)
        var resources = WorkerResources()
        #expect(resources.memoryLimitWithoutRequest(slots: 4, of: container) == nil, "a worker of a program")
        resources.memoryWithoutRequest = .automatic
        let quarter: Int64? = ((4 << 30) - (64 << 20)) / 4
        #expect(resources.memoryLimitWithoutRequest(slots: 4, of: container) == quarter)
        #expect(resources.memoryLimitWithoutRequest(slots: 4, of: host) == nil)
        let small = AvailableMemory(bytes: 64 << 20, isLimited: true)
        #expect(resources.memoryLimitWithoutRequest(slots: 1, of: small) == 48 << 20)
        resources.memory = 1 << 30
        let half: Int64? = ((1 << 30) - (64 << 20)) / 2
        #expect(resources.memoryLimitWithoutRequest(slots: 2, of: container) == half)
        resources.memoryWithoutRequest = .bytes(7)
        #expect(resources.memoryLimitWithoutRequest(slots: 2, of: host) == 7)
    }

    @Test(
        "A command that cannot run after the wait for a writer of its standard input is not started, as without the wait"
    )
    func namedPipe() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            try withNamedPipe(in: path) { pipe in
                bench.start([["/nonexistent/program"]], standardInput: "/dev/null", number: 1)
                let end = try bench.awaitEnd().result.end
                #expect(end == .notStarted("Cannot run \"/nonexistent/program\": No such file or directory."))
                bench.start([["/nonexistent/program"]], standardInput: pipe, number: 2)
                let result = try bench.awaitEnd().result
                #expect(result == AttemptResult(end: end), "and nothing is printed")
            }
        }
    }

    @Test("A command that cannot run after its wait leaves the other commands of its attempt their output")
    func namedPipeOfSeveral() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            try withNamedPipe(in: path) { pipe in
                bench.start([["/nonexistent/program"], ["echo", "printed"]], standardInput: pipe)
                try bench.takeLetters()
                // The first command has failed before the second one starts.
                try bench.startNextAndAwaitItsEnd()
                let result = try bench.awaitEnd().result
                #expect(result.end == .notStarted("Cannot run \"/nonexistent/program\": No such file or directory."))
                #expect(result.standardOutput.text == "printed\n")
            }
        }
    }

    /// Passes on the path of a named pipe with a writer, so that whoever opens it to read does not wait for one.
    private func withNamedPipe(in directory: String, _ body: (String) throws -> Void) throws {
        let path = directory + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        // Open for both sides, so that the writer does not wait for a reader.
        let writer = open(path, O_RDWR | O_CLOEXEC)
        try #require(writer >= 0)
        defer { close(writer) }
        try body(path)
    }

    @Test("A runner that is shut down kills its attempt and reports its end")
    func shutDown() async throws {
        try await withTemporaryDirectory { path in
            let bench = try Bench(path)
            try bench.startEndless(number: 1)
            bench.runner.shutDown()
            #expect(bench.runner.count == 0)
            #expect(try bench.awaitEnd().result.end == .signalled(9))
        }
    }
}
