@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing
@_spi(Baton) import BatonWire

/// The exact bytes of some messages.
///
/// A failure of a test means that the wire format has changed. Such a change needs a new version of the protocol. The
/// beginnings of hellos and their refusals never change.
@Suite("Exact bytes of messages") struct GoldenTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private let session = SessionID(rawValue: 0x1122_3344_5566_7788)
    private let token = AttemptToken(epoch: 3, serial: 1042, of: Incarnation(rawValue: 0x0102_0304_0506_0708))
    private let older = AttemptToken(epoch: 3, serial: 1, of: Incarnation(rawValue: .max))
    private let tokenBytes = "0807060504030201" + "1204000000030000"
    private let olderBytes = "ffffffffffffffff" + "0100000000030000"
    private let id = OperationID(job: JobNumber(12), index: 300)
    private let digest = SampleDigests.digest(0x0102, filling: 0xEE)
    private let digestBytes = String(repeating: "ee", count: 24) + "0000000000000102"

    @Test("A worker's hello has exactly these bytes")
    func workerSHelloHas() {
        let hello = WorkerHello(
            protocols: ProtocolRange(oldest: 1, newest: 2),
            version: "1.0",
            name: "w1",
            session: session,
            slots: 8,
            host: "node",
            processID: 4711,
            life: WorkerLife(rawValue: 1),
            sessionNumber: 300,
            attempts: [
                ClaimedAttempt(token: token, operation: id, attempt: 2, phase: .finished, age: 300),
                ClaimedAttempt(token: older, operation: id, attempt: 0, phase: .waiting, isHook: true),
            ],
            types: ["resize"],
            id: WorkerID(rawValue: 9),
            replaces: true,
            optionVersion: 1
        )
        #expect(
            hex(WorkerMessage.hello(hello).encoded())
                == "ba11" + "0100" + "0200" + "03312e30" + "027731" + "8877665544332211" + "08" + "046e6f6465" + "ce49"
                + "0100000000000000" + "ac02" + "02" + tokenBytes + "0cac02" + "02" + "02" + "00" + "ac02"
                + olderBytes + "0cac02" + "00" + "00" + "01" + "00" + "01"
                + "06726573697a65" + "0900000000000000" + "01" + "01" + "00" + "00000000" + "00" + "00" + "00" + "00"
                + "00"
        )
        var repeated = hello
        repeated.echo = 0x0102_0304_0506_0708
        #expect(hex(WorkerMessage.hello(repeated).encoded()).hasSuffix("000000" + "01" + "0807060504030201"))
    }

    @Test("A client's hello and the answers to hellos have exactly these bytes")
    func clientSHelloAnswers() {
        let range = ProtocolRange(oldest: 1, newest: 2)
        let hello = "ba31" + "0100" + "0200" + "03312e30"
        #expect(hex(ClientMessage.hello(range, version: "1.0").encoded()) == hello + "00")
        let proof = Secret([1, 2, 3])
        #expect(hex(ClientMessage.hello(range, version: "1.0", proof: proof).encoded()) == hello + "01" + "03010203")
        let refusal = Refusal(.incompatible, "No.")
        let fields = "0c" + "696e636f6d70617469626c65" + "034e6f2e" + "00"
        #expect(hex(CoordinatorMessage.refused(refusal).encoded()) == "ba22" + fields)
        #expect(hex(ClientReply.refused(refusal).encoded()) == "ba42" + fields)
        #expect(hex(CoordinatorMessage.superseded(refusal, isCopy: true).encoded()) == "ba2b" + fields + "01")
        #expect(hex(CoordinatorMessage.sayHello.encoded()) == "ba23")
        #expect(hex(CoordinatorMessage.challenge(0x0102_0304_0506_0708).encoded()) == "ba7d" + "0807060504030201")
        let welcome = Welcome(
            protocolVersion: 2,
            session: session,
            epoch: 3,
            incarnation: Incarnation(rawValue: 7),
            heartbeatInterval: .seconds(2),
            lease: .seconds(45),
            staleAttempts: [token],
            foreignAttempts: [older],
            recalledAttempts: [token],
            record: Incarnation(rawValue: 9)
        )
        #expect(
            hex(CoordinatorMessage.welcome(welcome).encoded())
                == "ba21" + "0200" + "8877665544332211" + "03" + "0700000000000000"
                + "8092f401" + "8095f52a" + "01" + tokenBytes
                + "01" + olderBytes + "01" + tokenBytes + "00" + "0900000000000000" + "00"
        )
        var pausing = welcome
        (pausing.staleAttempts, pausing.foreignAttempts, pausing.recalledAttempts) = ([], [], [])
        pausing.pausedAttempts = [token]
        let head = "8877665544332211" + "03" + "0700000000000000" + "8092f401" + "8095f52a" + "000000" + "00"
        #expect(
            hex(CoordinatorMessage.welcome(pausing).encoded())
                == "ba21" + "0200" + head + "0900000000000000" + "01" + tokenBytes
        )
        // A worker of version 1 is told of no pauses.
        pausing.protocolVersion = 1
        #expect(
            hex(CoordinatorMessage.welcome(pausing).encoded()) == "ba21" + "0100" + head + "0900000000000000"
        )
        var keyed = welcome
        (keyed.staleAttempts, keyed.foreignAttempts, keyed.recalledAttempts) = ([], [], [])
        keyed.operations = proof
        #expect(
            hex(CoordinatorMessage.welcome(keyed).encoded())
                == "ba21" + "0200" + "8877665544332211" + "03" + "0700000000000000"
                + "8092f401" + "8095f52a" + "000000" + "01" + "03010203" + "0900000000000000" + "00"
        )
        #expect(hex(ClientReply.reading(percent: 61).encoded()) == "ba44" + "3d")
    }

    @Test("What tells of ranks and of who leads has exactly these bytes")
    func leadership() {
        let rank = LeaderRank(record: Incarnation(rawValue: 9), epoch: 300, incarnation: Incarnation(rawValue: .max))
        let rankBytes = "0900000000000000" + "ac02" + "ffffffffffffffff"
        let welcome = "03312e30" + "03"
        let welcomes: [(UInt16, LeaderRank?, String)] = [
            (1, nil, "0100" + welcome), (2, nil, "0200" + welcome + "00"),
            (2, rank, "0200" + welcome + "01" + rankBytes),
            // Version 1 has no place for a rank.
            (1, rank, "0100" + welcome),
        ]
        for (version, told, bytes) in welcomes {
            let message = ClientReply.welcome(protocolVersion: version, version: "1.0", epoch: 3, rank: told)
            #expect(hex(message.encoded()) == "ba41" + bytes)
        }
        let range = ProtocolRange(oldest: 1, newest: 2)
        for (known, bytes) in [(nil, "00"), (rank, "01" + rankBytes)] as [(LeaderRank?, String)] {
            let inquiry = LeaderInquiry(protocols: range, version: "1.0", known: known)
            #expect(hex(WorkerMessage.inquire(inquiry).encoded()) == "ba6a" + "0100" + "0200" + "03312e30" + bytes)
        }
        let leader = "01" + "097463703a2f2f613a31"
        let answers: [(Leadership, String)] = [
            (Leadership(isLeading: false), "00" + "00" + "00"),
            (Leadership(isLeading: true, rank: rank, leader: "tcp://a:1"), "01" + "01" + rankBytes + leader),
        ]
        for (leadership, bytes) in answers {
            #expect(hex(CoordinatorMessage.leadership(leadership).encoded()) == "ba7c" + bytes)
            #expect(hex(ClientReply.leadership(leadership).encoded()) == "ba45" + bytes)
        }
    }

    @Test("A submission has exactly these bytes")
    func submissionHasExactlyThese() {
        let submission = Submission(
            name: "n",
            queueChanges: [
                QueueChange(name: "q", maxConcurrent: .atMost(2)),
                QueueChange(name: "r", isSuspended: true, total: 300),
            ],
            queueNames: ["q"],
            templates: [
                Template(
                    work: Work(.commands([["echo", "{}"]]), environment: ["B": "2", "A": "1"]),
                    retries: 3,
                    restart: .never,
                    onFinish: ["sh", "-c"]
                )
            ],
            entries: [
                Entry(name: "a", array: .numbers(first: -1, step: 2, count: 200)),
                Entry(
                    priority: .veryLow,
                    delay: .milliseconds(1),
                    isHeld: true,
                    isCancelled: true,
                    dependencies: [
                        Dependency(on: .entry(0), condition: .success),
                        Dependency(on: .existing(.named(JobNumber(12), "x"))),
                    ],
                    array: .picked([.init(number: 7, item: "b"), .init(number: -1, item: "")])
                ),
                Entry(isBarrier: true, array: .lines(["l"])),
            ]
        )
        #expect(
            hex(ClientMessage.request(7, .submit(submission)).encoded())
                == "ba32" + "07" + "00" + "01016e" + "00"
                + "02" + "0171" + "0101" + "04" + "00" + "00" + "00" + "0172" + "00" + "00" + "0101" + "01d804"
                + "01" + "0171"
                + "01" + "01" + "01" + "02" + "046563686f" + "027b7d"
                // The options of the work and of the template: number, length, value.
                + "01" + "03" + "09" + "02" + "01410131" + "01420132"
                + "03" + "0f" + "01" + "06" + "13" + "05" + "6e65766572" + "17" + "07" + "02" + "027368" + "022d63"
                + "03" + "010161" + "00" + "00" + "00" + "00" + "00" + "01" + "00" + "01" + "04" + "c801"
                + "00" + "00" + "00" + "01" + "03" + "19" + "01" + "0f" + "1b" + "02" + "d00f" + "1d" + "01" + "01"
                + "02" + "010000" + "0001" + "02" + "0c" + "0178" + "01" + "02" + "02" + "0e0162" + "0100"
                + "00" + "00" + "00" + "00" + "01" + "1f" + "01" + "01" + "00" + "01" + "01" + "01" + "016c"
                // The settings of the job, and that it is not open.
                + "00" + "00" + "00" + "00"
        )
    }

    @Test("A dispatch has exactly these bytes")
    func dispatchHasExactlyThese() {
        let batch = DispatchBatch(
            works: [Work(.noOperation, timeout: .seconds(1), gracePeriod: .forever)],
            queues: ["q"],
            items: [
                DispatchBatch.Item(
                    Assignment(
                        token: token,
                        operation: id,
                        attempt: 1,
                        hasInputs: true,
                        qualityOfService: .utility,
                        turn: 0x0102,
                        name: "a",
                        arrayNumber: -3,
                        arrayItem: "-3"
                    ),
                    work: 0,
                    queue: 0
                ),
                DispatchBatch.Item(
                    Assignment(token: older, operation: id, attempt: 0, hookOutcome: .skipped),
                    work: 0,
                    queue: 0
                ),
            ]
        )
        #expect(
            hex(CoordinatorMessage.dispatch(batch).encoded())
                == "ba25" + "01" + "00" + "02" + "09" + "03" + "80897a" + "0b" + "00" + "01" + "0171" + "02"
                + tokenBytes + "0cac02" + "01" + "00" + "010161" + "00" + "0101" + "0105" + "01022d33"
                + "01" + "8202" + "00"
                + olderBytes + "0cac02" + "00" + "00" + "00" + "00" + "00" + "00" + "00" + "00"
                + "00" + "0103"
        )
    }

    @Test("A worker's report and the messages about attempts have exactly these bytes")
    func workerSReportMessages() {
        let result = AttemptResult(
            end: .exited(-1),
            microseconds: 100,
            standardOutput: OutputTail(totalLength: 500, bytes: [1, 2]),
            result: [9]
        )
        let report = AttemptReport(
            started: [AttemptStart(token, age: 300)],
            returned: [older, token],
            completions: [Completion(token: token, operation: id, result: result, age: 5)]
        )
        #expect(
            hex(WorkerMessage.report(session, report).encoded())
                == "ba13" + "8877665544332211" + "01" + tokenBytes + "ac02" + "02"
                + olderBytes + tokenBytes + "01" + tokenBytes + "0cac02" + "0001" + "c801"
                + "f403020102" + "0000"
                + "010109" + "00" + "05"
        )
        var measured = result
        measured.usage = AttemptUsage(processorMicroseconds: 300, peakMemory: 5)
        let usage = AttemptReport(completions: [Completion(token: token, operation: id, result: measured, age: 5)])
        #expect(
            hex(WorkerMessage.report(session, usage).encoded())
                == "ba13" + "8877665544332211" + "0000" + "01" + tokenBytes + "0cac02" + "0001"
                + "c801" + "f403020102" + "0000" + "010109" + "01" + "ac02" + "05" + "05"
        )
        let fault = AttemptReport(completions: [
            Completion(token: token, operation: id, result: AttemptResult(end: .workerFault("no", hasRun: true)))
        ])
        #expect(
            hex(WorkerMessage.report(session, fault).encoded())
                == "ba13" + "8877665544332211" + "0000" + "01" + tokenBytes + "0cac02" + "08026e6f01" + "00"
                + "0000" + "0000" + "00" + "00" + "00"
        )
        #expect(
            hex(WorkerMessage.health(session, fault: "no").encoded()) == "ba18" + "8877665544332211" + "01026e6f"
        )
        #expect(hex(WorkerMessage.health(session, fault: nil).encoded()) == "ba18" + "8877665544332211" + "00")
        #expect(
            hex(WorkerMessage.distance(session, roundTrip: 300).encoded()) == "ba19" + "8877665544332211" + "ac02"
        )
        #expect(
            hex(WorkerMessage.fetchTypedInputs(session, token, id).encoded())
                == "ba1a" + "8877665544332211" + tokenBytes + "0cac02"
        )
        let progress = AttemptProgress(token, OperationProgress(fraction: 0.25, message: "hi"))
        #expect(
            hex(WorkerMessage.progress(session, [progress]).encoded())
                == "ba1b" + "8877665544332211" + "01" + tokenBytes + "90a10f" + "01026869"
        )
        let stop = AttemptStop(token: token, operation: id, signal: 21, age: 300)
        #expect(
            hex(WorkerMessage.stops(session, [stop]).encoded())
                == "ba1c" + "8877665544332211" + "01" + tokenBytes + "0cac02" + "2a" + "ac02"
        )
        let inputs = [
            TypedInput(operation: id, name: "a", type: "t", outcome: .succeeded, result: [7, 8]),
            TypedInput(operation: id, outcome: .skipped),
        ]
        #expect(
            hex(CoordinatorMessage.typedInputs(token, first: 300, inputs, isLast: true).encoded())
                == "ba2d" + tokenBytes + "ac02" + "02" + "0cac02" + "010161" + "010174" + "00" + "01020708"
                + "0cac02" + "00" + "00" + "03" + "00" + "01"
        )
        #expect(hex(CoordinatorMessage.acknowledge([token]).encoded()) == "ba26" + "01" + tokenBytes)
        #expect(hex(CoordinatorMessage.cancel([token]).encoded()) == "ba27" + "01" + tokenBytes)
        #expect(hex(CoordinatorMessage.recall([token]).encoded()) == "ba2a" + "01" + tokenBytes)
        #expect(hex(CoordinatorMessage.pauses([token]).encoded()) == "ba2e" + "01" + tokenBytes)
        #expect(
            hex(CoordinatorMessage.signal([token], .user1).encoded()) == "ba2f" + "01" + tokenBytes + "0455535231"
        )
    }

    @Test("Each kind of request has exactly these bytes")
    func eachKindRequestHas() {
        let job = Address.job(JobNumber(12))
        let operation = Address.operation(id)
        let named = Address.named(JobNumber(12), "x")
        let began = RecordMoment(clock: Timestamp(rawValue: 300), time: Timestamp(rawValue: 5))
        var open = Submission(queueNames: [], templates: [], entries: [])
        open.settings = JobSettings(maxFailures: 300, tags: ["a": "b"])
        open.isOpen = true
        var placed = open
        placed.rejectsUnplaceable = true
        var failingFast = open
        failingFast.settings.cancelRunning = true
        var limited = open
        limited.settings = JobSettings(deadline: .seconds(1))
        var keeping = open
        keeping.settings = JobSettings(keepFiles: .seconds(1))
        var bounded = open
        bounded.settings = JobSettings(filesLimit: 300)
        var reusing = limited
        reusing.settings = JobSettings(reuse: JobNumber(300))
        var sending = open
        sending.sent = SentFiles(entry: 300, files: [KeptFile(path: "a", size: 300, mode: 0o644, digest: digest)])
        let requests: [(Request, String)] = [
            (
                .wait([job], queue: "q", atMost: .seconds(1), waiter: id),
                "01" + "01" + "000c" + "010171" + "80897a" + "010cac02" + "00" + "00"
            ),
            (
                .wait([], queue: "q", atMost: .zero, waiter: nil, since: began),
                "01" + "00" + "010171" + "00" + "00" + "01ac0205" + "00"
            ),
            (
                .wait([job], queue: nil, atMost: .zero, waiter: nil, partial: true),
                "01" + "01" + "000c" + "00" + "00" + "00" + "00" + "01"
            ),
            (
                .wait([job], queue: nil, atMost: .zero, waiter: nil, outputs: true),
                "37" + "01" + "000c" + "00" + "00" + "00" + "00" + "00"
            ),
            (.submit(open), "00" + "000000000000" + "01ac02" + "00" + "01" + "01610162" + "01"),
            (.submit(failingFast), "00" + "000000000000" + "05ac02" + "00" + "01" + "01610162" + "01"),
            (.submit(limited), "00" + "000000000000" + "02" + "80897a" + "00" + "00" + "01"),
            (.submit(reusing), "00" + "000000000000" + "08" + "00" + "00" + "ac02" + "01"),
            (.submit(keeping), "00" + "000000000000" + "10" + "00" + "00" + "80897a" + "01"),
            (.submit(bounded), "00" + "000000000000" + "20" + "00" + "00" + "ac02" + "01"),
            (.submit(placed), "1b" + "000000000000" + "01ac02" + "00" + "01" + "01610162" + "01"),
            (
                .submit(sending),
                "36" + "00" + "ac02" + "01" + "0161" + "ac02" + "a403" + digestBytes
                    + "000000000000" + "01ac02" + "00" + "01" + "01610162" + "01"
            ),
            (.close([JobNumber(12)]), "1a" + "01" + "0c"), (.delete([JobNumber(12)]), "17" + "01" + "0c"),
            (.deleteQueue("q"), "18" + "0171"),
            (.changeSchedule("n", .resume), "2c" + "016e" + "01"),
            (.startSchedule("n", key: "k"), "2d" + "016e" + "016b"),
            (.setLimit(LimitChange("q", units: 3)), "30" + "0171" + "0103"),
            (.setLimit(LimitChange("q", units: nil)), "30" + "0171" + "00"),
            (.add(open, to: JobNumber(12)), "19" + "0c" + "000000000000"),
            (.add(placed, to: JobNumber(12)), "1d" + "0c" + "000000000000"),
            (.cancel([operation], queue: nil), "02" + "01" + "010cac02" + "00"),
            (
                .setQueue(QueueChange(name: "q", isSuspended: false, total: -1)),
                "03" + "0171" + "0000" + "0100" + "0101"
            ),
            (
                .setQueue(QueueChange(name: "q", total: -1, startRate: .unlimited)),
                "03" + "0171" + "0000" + "00" + "0301" + "046e6f6e65"
            ),
            (.hold([job, operation]), "07" + "02" + "000c" + "010cac02"),
            (.pause([job, operation]), "28" + "02" + "000c" + "010cac02"),
            (.resume([operation]), "29" + "01" + "010cac02"),
            (.signal([operation], .user1), "2a" + "01" + "010cac02" + "0455535231"),
            (.release([named]), "08" + "01" + "020c0178"),
            (.setPriority([job], .high), "09" + "01" + "000c" + "04"),
            (
                .depend(operation, [ExistingDependency(on: named, condition: .failure)]),
                "0a" + "010cac02" + "01" + "02" + "020c0178"
            ),
            (.undepend(named, [job]), "0b" + "020c0178" + "01" + "000c"),
            (.addCommand(operation, ["ls", "-l"]), "0f" + "010cac02" + "02" + "026c73" + "022d6c"),
            (.retry(JobNumber(12), key: "k"), "0c" + "0c" + "00" + "00" + "00" + "01" + "016b"),
            (.retry(JobNumber(12), again: false, key: "k"), "1c" + "0c" + "00" + "00" + "00" + "01" + "016b"),
            (
                .retry(JobNumber(12), rejectsUnplaceable: true, key: "k"),
                "1e" + "0c" + "00" + "00" + "00" + "01" + "016b"
            ),
            (
                .retry(JobNumber(12), again: false, rejectsUnplaceable: true, key: "k"),
                "1f" + "0c" + "00" + "00" + "00" + "01" + "016b"
            ),
            (
                .retry(JobNumber(12), key: "k", changes: RetryChanges(memory: 300, timeout: .seconds(1))),
                "32" + "0100" + "01ac02" + "00" + "0180897a" + "00" + "00" + "0c" + "00" + "00" + "00" + "01" + "016b"
            ),
            (
                .retry(JobNumber(12), groups: [2, 300], key: "k"),
                "0c" + "0c" + "00" + "0202ac02" + "00" + "01" + "016b"
            ),
            (
                .outputs(
                    OutputSelection(
                        job: JobNumber(12),
                        operations: [0..<3, 5..<300],
                        afterAttempt: 1,
                        stream: .standardError,
                        isLastOnly: true,
                        lines: 10,
                        limit: 300
                    )
                ),
                "15" + "0c" + "02" + "0003" + "05ac02" + "01" + "0102" + "00" + "01" + "00" + "010a" + "ac02"
            ),
            (.filePiece(operation, path: "a/b", offset: 300, limit: 5), "33" + "010cac02" + "03612f62" + "ac02" + "05"),
            (.missingFiles([digest], bytes: 300), "34" + "01" + digestBytes + "ac02"),
            (
                .sentPiece(
                    SentPiece(digest: digest, size: 303, mode: 0o755, offset: 300, bytes: [7, 8, 9], isLast: true)
                ),
                "35" + digestBytes + "af02" + "ed03" + "ac02" + "03070809" + "01"
            ),
            (.document(.files(named, from: 300, limit: 5)), "04" + "33" + "020c0178" + "ac02" + "05"),
            (
                .document(.demand(OfferedWorker(slots: 2, cpus: 300, resources: ["a": 1]))),
                "04" + "34" + "02" + "01ac02" + "00" + "01016101" + "00" + "00"
            ),
            (.history(HistorySelection(job: JobNumber(12), from: 300, limit: 5)), "16" + "0c" + "ac02" + "05"),
            (.document(.failures(JobNumber(12), limit: 300)), "04" + "08" + "0c" + "ac02"),
            (.document(.allWorkers), "04" + "0d"),
            (.document(.standstill([job], queue: "q")), "04" + "0a" + "01" + "000c" + "010171"),
            (.document(.overview(jobs: 20)), "04" + "0b" + "14"),
            (.document(.worker("w1")), "04" + "0e" + "027731"),
            (.document(.criticalPath(JobNumber(12))), "04" + "12" + "0c"),
            (.document(.waiting(JobNumber(12))), "04" + "13" + "0c"),
            (.document(.metrics), "04" + "10"), (.document(.throughput(seconds: 300)), "04" + "11" + "ac02"),
            (
                .document(.job(JobNumber(12), from: 3, limit: 300, filter: ListFilter(outcomes: [.failed]))),
                "04" + "00" + "0c" + "03" + "ac02" + "00" + "0101" + "00" + "00" + "00" + "00" + "00"
            ),
            (
                .document(.jobs(before: nil, limit: 300, filter: ListFilter(states: [.ready], name: NameGlob("a*")))),
                "04" + "03" + "00" + "ac02" + "0101" + "00" + "0102612a" + "00" + "00" + "00" + "00"
            ),
            (
                .document(.jobs(before: JobNumber(12), limit: 5, filter: ListFilter(tags: ["a": "b"]))),
                "04" + "03" + "010c" + "05" + "00" + "00" + "00" + "00" + "00" + "00" + "01" + "01610162"
            ),
            (
                .retry(JobNumber(12), operations: [operation, named], cancelled: true, dependents: false, key: "k"),
                "0c" + "0c" + "02" + "010cac02" + "020c0178" + "00" + "01" + "00" + "016b"
            ),
            (
                .reportProgress(id, attempt: 2, OperationProgress(fraction: 0.25, message: "hi")),
                "0d" + "0cac02" + "02" + "90a10f" + "01026869"
            ),
            (.watch(since: 812, limit: 1000, atMost: .zero), "0e" + "01ac06" + "e807" + "00" + "00"),
            (.watch(since: nil, limit: 1000, atMost: .seconds(1)), "0e" + "00" + "e807" + "80897a" + "00"),
            (
                .watch(
                    since: 812,
                    limit: 1000,
                    atMost: .zero,
                    of: EventSelection(operations: [id], jobs: [JobNumber(12), JobNumber(300)], queues: ["q"])
                ),
                "0e" + "01ac06" + "e807" + "00" + "01" + "010cac02" + "020cac02" + "010171"
            ),
        ]
        for (request, fields) in requests {
            #expect(hex(ClientMessage.request(7, request).encoded()) == "ba32" + "07" + fields)
        }
    }

    @Test("Each kind of reply has exactly these bytes")
    func eachKindReplyHas() {
        let replies: [(Reply, String)] = [
            (.job(JobNumber(12), operations: 300, isNew: true), "00" + "0c" + "ac02" + "01"),
            (
                .changed(ChangeReport(changed: 300, notes: ["no"], unanswered: ["w1", "w2"])),
                "02" + "ac02" + "01" + "026e6f" + "02" + "027731" + "027732"
            ),
            (
                .events(EventPage(lines: Array("{}\n".utf8), last: 812, missed: 300)),
                "03" + "037b7d0a" + "ac06" + "ac02"
            ),
            (.document([0x7B]), "04" + "017b"),
            (.added(JobNumber(12), first: 3, operations: 300, isNew: true), "0a" + "0c" + "03" + "ac02" + "01"),
            (.result(nil), "06" + "00"),
            (.filePiece(FilePiece(offset: 300, size: 303, bytes: [7, 8])), "0b" + "ac02" + "af02" + "020708"),
            (.digests([digest]), "0c" + "01" + digestBytes), (.received(isWhole: true), "0d" + "01"),
            (
                .outputs(
                    OutputPage(
                        pieces: [
                            OutputPage.Piece(
                                operation: 300,
                                attempt: 2,
                                stream: .standardError,
                                offset: 300,
                                isWhole: false,
                                bytes: [0x7B]
                            )
                        ],
                        executions: [OutputPage.Execution(operation: 301, attempt: 1)],
                        next: OutputPage.Position(operation: 302, afterAttempt: 4)
                    )
                ),
                "08" + "01" + "ac02" + "02" + "02" + "ac02" + "00" + "017b" + "01" + "ad02" + "01" + "01" + "ae02"
                    + "04"
            ),
            (
                .history(history),
                "09" + "0c" + "01026a62" + "0163" + "0176" + "05" + "00" + "07"
                    + "000000000000000000" + "00" + "01" + "03" + "02" + "01016e" + "0171" + "01" + "14" + "02" + "01"
                    + "01" + "00" + "01" + "01" + "04" + "01" + "02" + "00" + "03" + "01"
                    + "03" + "01" + "03" + "0101" + "010465786974" + "00" + "0106" + "00" + "02" + "010177"
                    + "0105" + "0106" + "0107" + "01" + "03" + "01" + "00" + "00" + "06" + "046c6f7374" + "00" + "0112"
                    + "01"
                    + "01" + "0177" + "02" + "01" + "03" + "01ac02"
            ),
            (
                .history(transfers),
                "09" + "0c" + "01026a62" + "0163" + "0176" + "05" + "00" + "07"
                    + "000000000000000000" + "00" + "00" + "00" + "00" + "00" + "00" + "03ac02"
                    + "01" + "03" + "01" + "05" + "06" + "02" + "ac02" + "01" + "03" + "01" + "02" + "ac02"
            ),
            (
                .refused(Refusal(.deadlock, "No.", path: ["a", "a"])),
                "07" + "08" + "646561646c6f636b" + "034e6f2e" + "02" + "0161" + "0161"
            ),
        ]
        for (reply, fields) in replies {
            #expect(hex(ClientReply.reply(9, reply).encoded()) == "ba43" + "09" + fields)
        }
    }

    /// A page of a job's history with a fetch and the files of an attempt alone.
    private var transfers: HistoryPage {
        var page = history
        (page.entries, page.operations, page.attempts, page.workers, page.criticalPath) = ([], [], [], [], [])
        let fetch = FetchRecord(
            sentAt: Timestamp(rawValue: 5),
            arrivedAt: Timestamp(rawValue: 6),
            files: 2,
            bytes: 300
        )
        page.fetches = [HistoryFetch(operation: 3, attempt: 1, fetch: fetch)]
        page.files = [HistoryFiles(operation: 3, attempt: 1, count: 2, bytes: 300)]
        return page
    }

    /// A page of a job's history with one entry, one operation and one attempt.
    private var history: HistoryPage {
        var page = HistoryPage(
            job: JobNumber(12),
            name: "jb",
            coordinator: "c",
            version: "v",
            submittedAt: Timestamp(rawValue: 5),
            finishedAt: nil,
            moment: Timestamp(rawValue: 7),
            counts: JobCounts()
        )
        page.entries = [
            HistoryEntry(
                first: 3,
                count: 2,
                name: "n",
                queue: "q",
                numbering: .steps(first: 10, step: 1),
                dependencies: [HistoryDependency(first: 0, condition: .success)],
                changes: [
                    HistoryEntry.Change(
                        operation: 4,
                        dependencies: [HistoryDependency(first: 0, count: 3, condition: .failure)]
                    )
                ]
            )
        ]
        var operation = OperationHistory(first: 3, state: .finished)
        (operation.outcome, operation.reason, operation.exitStatus) = (.failed, .exit, 3)
        (operation.attempt, operation.worker) = (2, "w")
        operation.readyAt = Timestamp(rawValue: 5)
        operation.startedAt = Timestamp(rawValue: 6)
        operation.finishedAt = Timestamp(rawValue: 7)
        page.operations = [operation]
        var attempt = EarlierAttempt(
            operation: 3,
            attempt: 1,
            worker: nil,
            startedAt: nil,
            endedAt: Timestamp(rawValue: 6),
            reason: .lost
        )
        attempt.signal = 9
        attempt.wasStopped = true
        page.attempts = [attempt]
        page.workers = [HistoryWorker(name: "w", slots: 2)]
        page.criticalPath = [3]
        page.next = 300
        return page
    }

    @Test("A reply with counts has exactly these bytes")
    func replyCountsHasExactly() {
        var counts = JobCounts()
        counts.pending = 1
        counts.ready = 2
        counts.executing = 3
        counts.succeeded = 4
        counts.failed = 5
        counts.cancelled = 6
        counts.skipped = 200
        counts.notNeeded = 7
        counts.skippedAfterFailure = 8
        let message = ClientReply.reply(9, .progress(WaitProgress(counts: counts, isFinished: false)))
        #expect(hex(message.encoded()) == "ba43" + "09" + "01" + "010203040506c801" + "0708" + "00" + "00" + "00")
        let began = RecordMoment(clock: Timestamp(rawValue: 300), time: Timestamp(rawValue: 5))
        let end = ClientReply.reply(9, .progress(WaitProgress(counts: JobCounts(), isFinished: true, began: began)))
        #expect(hex(end.encoded()) == "ba43" + "09" + "01" + "000000000000000000" + "01" + "01ac0205" + "00")
        counts.isCancelled = true
        let cancelled = ClientReply.reply(9, .progress(WaitProgress(counts: counts, isFinished: true)))
        // A reader of Baton 0.1.0 takes 8 + 200 + 1 too.
        #expect(hex(cancelled.encoded()) == "ba43" + "09" + "01" + "010203040506c801" + "07d101" + "01" + "00" + "00")
        let moving = ClientReply.reply(9, .progress(WaitProgress(counts: JobCounts(), isFinished: false, partial: 300)))
        #expect(hex(moving.encoded()) == "ba43" + "09" + "01" + "000000000000000000" + "00" + "00" + "01ac02")
        var ended = WaitProgress(counts: JobCounts(), isFinished: true, outputs: [])
        let silent = ClientReply.reply(9, .progress(ended))
        #expect(hex(silent.encoded()) == "ba43" + "09" + "0e" + "000000000000000000" + "01" + "00" + "00" + "00")
        ended.outputs = [
            OutputPage.Piece(
                operation: 300,
                attempt: 2,
                stream: .standardError,
                offset: 0,
                isWhole: true,
                bytes: [7, 8]
            )
        ]
        let loud = ClientReply.reply(9, .progress(ended))
        #expect(
            hex(loud.encoded())
                == "ba43090e" + "000000000000000000" + "010000" + "01" + "ac02" + "020200" + "01" + "020708"
        )
    }
}
