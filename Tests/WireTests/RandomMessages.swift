@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

@_spi(Baton) @testable import BatonWire

/// Makes messages of all kinds with random contents.
struct RandomMessages {
    /// Whether optional fields are present.
    enum Presence: CaseIterable {
        case always, never, atRandom
    }

    private var generator: SplitMix
    private let presence: Presence

    init(seed: UInt64, presence: Presence = .atRandom) {
        generator = SplitMix(seed: seed)
        self.presence = presence
    }

    /// One message of each kind, down to the kinds of requests, documents and replies.
    mutating func all() -> [AnyMessage] {
        let piece = PassedPiece(number: number(), echo: number(), piece: optional { $0.filePiece() })
        let direct = DirectRequest(
            number: number(),
            ticket: ticket(),
            digest: digest(),
            offset: number(),
            limit: number()
        )
        return workerMessages().map(AnyMessage.worker) + coordinatorMessages().map(AnyMessage.coordinator)
            + clientMessages().map(AnyMessage.client) + clientReplies().map(AnyMessage.reply) + [
                AnyMessage.piece(piece), AnyMessage.direct(direct),
                AnyMessage.bundle([piece.encoded(), direct.encoded()]),
            ]
    }

    mutating func workerMessages() -> [WorkerMessage] {
        [
            .hello(
                WorkerHello(
                    version: text(),
                    name: text(),
                    session: session(),
                    slots: number(),
                    host: text(),
                    processID: number(),
                    life: WorkerLife(rawValue: 1),
                    sessionNumber: number(),
                    attempts: list {
                        ClaimedAttempt(
                            token: $0.token(),
                            operation: $0.id(),
                            attempt: $0.number(),
                            phase: $0.pick(ClaimedAttempt.Phase.allCases),
                            isHook: $0.flag(),
                            age: $0.age()
                        )
                    },
                    types: list { $0.text() },
                    optionVersion: position(),
                    timeLeft: optional { $0.duration() },
                    earlierStarts: optional {
                        EarlierStarts(
                            lives: $0.list { WorkerLife(rawValue: $0.number()) },
                            attempts: $0.list {
                                StartedAttempt(token: $0.token(), operation: $0.id(), attempt: $0.number())
                            }
                        )
                    },
                    filesLimit: optional { $0.number() },
                    keeper: optional { KeeperClaim(secret: Secret($0.bytes()), keepsAll: $0.flag()) },
                    echo: optional { $0.number() }
                )
            ),
            .inquire(LeaderInquiry(version: text(), known: optional { $0.rank() })),
            .heartbeat(session(), number: number()),
            .report(
                session(),
                AttemptReport(
                    started: list { AttemptStart($0.token(), age: $0.age()) },
                    returned: list { $0.token() },
                    completions: list {
                        Completion(
                            token: $0.token(),
                            operation: $0.id(),
                            result: $0.attemptResult(),
                            age: $0.age()
                        )
                    }
                )
            ),
            .fetchInputs(session(), token(), id()),
            .fetchTypedInputs(session(), token(), id()),
            .progress(session(), list { AttemptProgress($0.token(), $0.progress()) }),
            .stops(
                session(),
                list { AttemptStop(token: $0.token(), operation: $0.id(), signal: $0.number(), age: $0.age()) }
            ),
            .output(request: number(), optional { $0.chunk() }),
            .filesHeld(session(), list { $0.digest() }, isFirst: flag()),
            .filesDropped(session(), list { $0.digest() }, areDamaged: flag()),
            .filesMissing(session(), token(), list { $0.digest() }),
            .filesNotCopied(session(), list { $0.digest() }, hasRoom: flag()),
            .fetchProgress(session(), list { AttemptFetch($0.token(), present: $0.number()) }),
            .fileConnection(session()),
            .fetchPiece(session(), number: number(), token(), digest(), offset: number(), limit: number()),
            .dataAddress(session(), dataAddress()),
            .directBytes(session(), number()),
            .health(session(), fault: optional { $0.text() }),
            .distance(session(), roundTrip: number()),
            .leaving(session()),
            .goodbye(session()),
        ]
    }

    mutating func coordinatorMessages() -> [CoordinatorMessage] {
        [
            .welcome(
                Welcome(
                    protocolVersion: number(),
                    session: session(),
                    epoch: number(),
                    incarnation: Incarnation(rawValue: number()),
                    heartbeatInterval: duration(),
                    lease: .seconds(45),
                    staleAttempts: list { $0.token() },
                    foreignAttempts: list { $0.token() },
                    recalledAttempts: list { $0.token() },
                    operations: optional { Secret($0.bytes()) },
                    record: Incarnation(rawValue: number())
                )
            ),
            .refused(refusal()),
            .leadership(leadership()),
            .superseded(refusal(), isCopy: flag()),
            .sayHello,
            .challenge(number()),
            .heartbeat(number: number()),
            .dispatch(batch()),
            .acknowledge(list { $0.token() }),
            .cancel(list { $0.token() }),
            .recall(list { $0.token() }),
            .pauses(list { $0.token() }),
            .signal(list { $0.token() }, pick(OperationSignal.allCases)),
            .stop(isImmediate: flag()),
            .inputs(token(), list { Input(name: $0.text(), bytes: $0.bytes()) }, isLast: flag()),
            .typedInputs(token(), first: number(), list { $0.typedInput() }, isLast: flag()),
            .inputFiles(token(), list { InputFile(folder: $0.folder(), file: $0.keptFile()) }),
            .releaseFiles(list { $0.digest() }),
            .retainFiles(list { $0.digest() }),
            .verifyFiles(list { $0.digest() }),
            .copyFiles(list { $0.keptFile() }),
            .readPiece(number: number(), echo: number(), digest(), offset: number(), limit: number()),
            .pieceUnavailable(echo: number(), isLost: flag()),
            .directSource(echo: number(), digest(), dataAddress(), ticket()),
            .admitReader(ticket(), digest(), seconds: number()),
            .readOutput(request: number(), token(), id(), stream(), offset: number(), limit: number()),
        ]
    }

    mutating func clientMessages() -> [ClientMessage] {
        var requests: [Request] = [
            .submit(submission()), .submit(submissionWithSettings()),
            .wait(
                list { $0.address() },
                queue: optional { $0.text() },
                atMost: duration(),
                waiter: optional { $0.id() },
                since: optional { $0.moment() },
                partial: flag(),
                outputs: flag()
            ),
            .cancel(list { $0.address() }, queue: optional { $0.text() }),
            .hold(list { $0.address() }),
            .release(list { $0.address() }),
            .setPriority(list { $0.address() }, pick(Priority.allCases)),
            .depend(address(), list { ExistingDependency(on: $0.address(), condition: $0.condition()) }),
            .undepend(address(), list { $0.address() }),
            .addCommand(address(), list { $0.text() }),
            .pause(list { $0.address() }),
            .resume(list { $0.address() }),
            .signal(list { $0.address() }, pick(OperationSignal.allCases)),
            .retry(job(), operations: list { $0.address() }, cancelled: flag(), dependents: flag(), key: text()),
            .retry(
                job(),
                operations: list { $0.address() },
                groups: [number(), number()],
                cancelled: flag(),
                dependents: flag(),
                again: flag(),
                rejectsUnplaceable: flag(),
                key: text()
            ),
            .retry(
                job(),
                again: flag(),
                key: text(),
                changes: RetryChanges(memory: 5, memoryUpTo: flag() ? 300 : nil, graph: submission())
            ),
            .reportProgress(id(), attempt: number(), progress()),
            .setQueue(queueChange()), .deleteQueue(text()), .submit(submissionWithTags()), .submit(openSubmission()),
            .add(submission(), to: job()), .add(unplaceableAddition(), to: job()), .close(list { $0.job() }),
            .setLimit(LimitChange(text(), units: optional { $0.number() })),
            .drain(list { $0.text() }),
            .undrain(list { $0.text() }),
            .stop(list { $0.text() }, isImmediate: flag()),
            .forget(list { $0.text() }), .delete(list { $0.job() }),
            .waitForWorkers(list { $0.text() }, atMost: duration()),
            .watch(since: optional { $0.number() }, limit: number(), atMost: duration()),
            .watch(since: optional { $0.number() }, limit: number(), atMost: duration(), of: selection()),
            .log(address(), attempt: optional { $0.number() }, stream(), offset: number(), limit: number()),
            .outputs(outputSelection()), .history(HistorySelection(job: job(), from: number(), limit: number())),
            .result(address()), .filePiece(address(), path: path(), offset: number(), limit: number()),
            .missingFiles(list { $0.digest() }, bytes: Int64(number() as UInt32)), .sentPiece(sentPiece()),
            .submit(submissionWithFiles()),
            .changeSchedule(text(), .pause), .changeSchedule(text(), .remove), .startSchedule(text(), key: text()),
        ]
        if let cron = try? CronExpression("*/5 2 * * mon") {
            let settings = ScheduleSettings(
                name: text(),
                cron: cron,
                timeZone: text(),
                overlap: pick(ScheduleOverlap.allCases),
                catchUp: pick(ScheduleCatchUp.allCases)
            )
            requests.append(.addSchedule(settings, submissionWithTags()))
        }
        let documents: [DocumentRequest] = [
            .schedules, .schedule(text()),
            .job(job(), from: number(), limit: number()), .operation(address()), .explain(address()),
            .jobs(before: optional { $0.job() }, limit: number()), .queue(text()), .queues, .limits, .workers, .status,
            .coordinatorKeys, .failures(job(), limit: number()),
            .job(job(), from: number(), limit: number(), filter: filter()),
            .jobs(before: optional { $0.job() }, limit: number(), filter: filter()),
            .jobs(before: optional { $0.job() }, limit: number(), filter: ListFilter(tags: tags())),
            .names(job(), matching: optional { $0.text() }, from: number()), .summary(job()),
            .graph(job(), from: number(), limit: number()), .allWorkers, .worker(text()),
            .standstill(list { $0.address() }, queue: optional { $0.text() }), .overview(jobs: number()),
            .metrics, .criticalPath(job()), .waiting(job()), .throughput(seconds: number()),
            .files(address(), from: number(), limit: number()),
            .demand(offeredWorker()),
        ]
        requests += documents.map(Request.document)
        let hellos: [ClientMessage] = [
            .hello(.own, version: text(), proof: optional { Secret($0.bytes()) }),
            .hello(ProtocolRange(oldest: 1, newest: 7), version: text()),
        ]
        return hellos + requests.map { .request(number(), $0) }
    }

    private mutating func outputSelection() -> OutputSelection {
        OutputSelection(
            job: job(),
            operations: [0..<3, 3..<4, 700..<UInt32.max].suffix(Int.random(in: 0...3, using: &generator)),
            afterAttempt: number(),
            stream: optional { $0.stream() },
            attempt: optional { $0.number() },
            isLastOnly: flag(),
            isFailedOnly: flag(),
            lines: optional { $0.number() },
            limit: number()
        )
    }

    private mutating func outputPage() -> OutputPage {
        OutputPage(
            pieces: list { random in
                OutputPage.Piece(
                    operation: random.number(),
                    attempt: random.number(),
                    stream: random.stream(),
                    offset: random.number() >> 1,
                    isWhole: random.flag(),
                    bytes: random.bytes()
                )
            },
            executions: list { OutputPage.Execution(operation: $0.number(), attempt: $0.number()) },
            next: optional { OutputPage.Position(operation: $0.number(), afterAttempt: $0.number()) }
        )
    }

    private mutating func historyPage() -> HistoryPage {
        var page = HistoryPage(
            job: job(),
            name: optional { $0.text() },
            coordinator: text(),
            version: text(),
            submittedAt: moment().time,
            finishedAt: optional { $0.moment().time },
            moment: moment().time,
            counts: counts(),
            from: number()
        )
        page.entries = list { random in
            HistoryEntry(
                first: random.number(),
                count: max(1, random.number()),
                name: random.optional { $0.text() },
                queue: random.text(),
                numbering: random.pick([
                    .none, .steps(first: -3, step: 7), .each(position: 300, [1, -2, .max, .min]),
                    .each(position: 0, []),
                ]),
                dependencies: random.list { $0.historyDependency() },
                changes: random.list { random in
                    HistoryEntry.Change(
                        operation: random.number(),
                        dependencies: random.list { $0.historyDependency() }
                    )
                }
            )
        }
        page.operations = list { random in
            var operation = OperationHistory(
                first: random.number(),
                count: max(1, random.number()),
                state: random.pick(OperationState.allCases)
            )
            operation.outcome = random.optional { $0.pick(Outcome.allCases) }
            operation.reason = random.optional { $0.pick(Reason.Code.allCases) }
            operation.isSkippedAfterFailure = random.flag()
            operation.exitStatus = random.optional { $0.pick([0, 255, -1, .max, .min]) }
            operation.signal = random.optional { $0.pick([9, 15]) }
            operation.attempt = random.number()
            operation.worker = random.optional { $0.text() }
            operation.readyAt = random.optional { $0.moment().time }
            operation.startedAt = random.optional { $0.moment().time }
            operation.finishedAt = random.optional { $0.moment().time }
            return operation
        }
        page.attempts = list { random in
            var attempt = EarlierAttempt(
                operation: random.number(),
                attempt: random.number(),
                worker: random.optional { $0.text() },
                startedAt: random.optional { $0.moment().time },
                endedAt: random.moment().time,
                reason: random.pick(Reason.Code.allCases)
            )
            attempt.exitStatus = random.optional { $0.pick([0, 3]) }
            attempt.signal = random.optional { $0.pick([9, 15]) }
            attempt.wasStopped = random.flag()
            return attempt
        }
        page.fetches = list { random in
            let fetch = FetchRecord(
                sentAt: random.moment().time,
                arrivedAt: random.moment().time,
                files: random.number(),
                bytes: Int64(random.number() as UInt32)
            )
            return HistoryFetch(operation: random.number(), attempt: random.number(), fetch: fetch)
        }
        page.files = list { random in
            HistoryFiles(
                operation: random.number(),
                attempt: random.number(),
                count: random.number(),
                bytes: Int64(random.number() as UInt32)
            )
        }
        page.workers = list { HistoryWorker(name: $0.text(), slots: $0.number()) }
        page.criticalPath = list { $0.number() }
        page.next = optional { $0.number() }
        return page
    }

    private mutating func historyDependency() -> HistoryDependency {
        HistoryDependency(first: number(), count: number(), condition: condition(), isElementwise: flag())
    }

    private mutating func filter() -> ListFilter {
        ListFilter(
            states: [pick(OperationState.allCases)],
            outcomes: list { $0.pick(Outcome.allCases) },
            name: optional { NameGlob($0.text()) },
            queue: optional { $0.text() },
            worker: optional { $0.text() },
            since: optional { Timestamp(rawValue: Int64($0.number() as UInt32)) }
        )
    }

    mutating func clientReplies() -> [ClientReply] {
        let replies: [Reply] = [
            .job(job(), operations: number(), isNew: flag()),
            .progress(
                WaitProgress(
                    counts: counts(),
                    isFinished: flag(),
                    began: optional { $0.moment() },
                    partial: optional { $0.number() },
                    outputs: optional { $0.outputPage().pieces }
                )
            ),
            .added(job(), first: number(), operations: number(), isNew: flag()),
            .changed(changeReport()), .events(eventPage()), .document(bytes()), .output(chunk()),
            .result(optional { $0.bytes() }), .filePiece(filePiece()),
            .digests(list { $0.digest() }), .received(isWhole: flag()),
            .outputs(outputPage()), .history(historyPage()),
            .refused(refusal()),
        ]
        return [
            .welcome(protocolVersion: number() | 2, version: text(), epoch: number(), rank: optional { $0.rank() }),
            .welcome(protocolVersion: 1, version: text(), epoch: number()),
            .leadership(leadership()), .refused(refusal()),
            .reading(percent: number() % 101),
        ] + replies.map { .reply(number(), $0) }
    }

    // MARK: Values

    private mutating func submissionWithTags() -> Submission {
        var submission = flag() ? submission() : submissionWithSettings()
        submission.settings.tags = tags()
        return submission
    }

    private mutating func openSubmission() -> Submission {
        var submission = flag() ? submissionWithTags() : submission()
        submission.isOpen = true
        submission.rejectsUnplaceable = flag()
        return submission
    }

    private mutating func unplaceableAddition() -> Submission {
        var submission = submission()
        submission.rejectsUnplaceable = true
        return submission
    }

    private mutating func tags() -> [String: String] { ["a": text(), "project": text()] }

    private mutating func submissionWithSettings() -> Submission {
        var submission = submission()
        let commands = Dictionary(
            uniqueKeysWithValues: JobHooks.Moment.allCases.map { moment in (moment, list { $0.text() }) }
        )
        let environment = ["A": text(), "B": text()]
        submission.settings.maxFailures = optional { $0.number() }
        submission.settings.deadline = optional { $0.duration() }
        submission.settings.keepFiles = optional { $0.duration() }
        submission.settings.filesLimit = optional { Int64($0.number() as UInt32) }
        submission.settings.hooks = JobHooks(
            commands,
            environment: environment,
            directory: optional { $0.text() },
            timeout: optional { $0.duration() }
        )
        return submission
    }

    mutating func submission() -> Submission {
        Submission(
            name: optional { $0.text() },
            key: optional { $0.text() },
            queueChanges: list { $0.queueChange() },
            queueNames: list { $0.text() },
            templates: list {
                Template(
                    work: $0.work(),
                    retries: $0.number(),
                    retryDelay: $0.duration(),
                    restart: $0.pick(RestartPolicy.allCases),
                    qualityOfService: $0.optional { $0.quality() },
                    onFinish: $0.optional { $0.list { $0.text() } }
                )
            },
            entries: list { $0.entry() }
        )
    }

    private mutating func entry() -> Entry {
        Entry(
            name: optional { $0.text() },
            template: position(),
            queue: position(),
            priority: pick(Priority.allCases),
            delay: optional { $0.duration() },
            isHeld: flag(),
            isBarrier: flag(),
            isCancelled: flag(),
            dependencies: list {
                Dependency(on: $0.target(), condition: $0.condition())
            },
            array: optional { $0.array() }
        )
    }

    private mutating func target() -> Dependency.Target {
        pick([
            .entry(position()), .existing(address()), .element(position(), number()), .elements(position()),
            .existingElements(address()), .existingElements(.operations(job(), 3..<9)),
        ])
    }

    private mutating func array() -> ArrayValues {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            .numbers(
                first: number(),
                step: number(),
                count: .random(in: 0...Submission.maximumOperations, using: &generator)
            )
        case 1: .lines(list { $0.text() })
        default: .picked(list { ArrayValues.Element(number: $0.number(), item: $0.text()) })
        }
    }

    private mutating func queueChange() -> QueueChange {
        QueueChange(
            name: text(),
            maxConcurrent: optional { $0.flag() ? .unlimited : .atMost($0.number()) },
            qualityOfService: optional { $0.quality() },
            isSuspended: optional { $0.flag() },
            total: optional { $0.number() },
            startRate: optional { $0.pick(["none", "10/s", "1/h"]) }.flatMap { QueueChange.Rate($0) }
        )
    }

    private mutating func typedInput() -> TypedInput {
        TypedInput(
            operation: id(),
            name: optional { $0.text() },
            type: optional { $0.text() },
            outcome: pick(Outcome.allCases),
            result: optional { $0.bytes() }
        )
    }

    private mutating func selection() -> EventSelection {
        EventSelection(
            operations: list { $0.id() },
            jobs: list { JobNumber($0.number()) },
            queues: list { $0.text() }
        )
    }

    private mutating func progress() -> OperationProgress {
        OperationProgress(
            millionths: .random(in: 0...OperationProgress.whole, using: &generator),
            message: optional { $0.text() }
        )
    }

    private mutating func changeReport() -> ChangeReport {
        ChangeReport(changed: position(), notes: list { $0.text() }, unanswered: list { $0.text() })
    }

    private mutating func eventPage() -> EventPage {
        let last: UInt64 = number()
        return EventPage(lines: bytes(), last: last, missed: .random(in: 0...last, using: &generator))
    }

    mutating func work() -> Work {
        Work(
            pick([
                .noOperation, .commands([["run"]] + list { ["run"] + $0.list { $0.text() } }),
                .typed(type: text(), argument: bytes()),
            ]),
            environment: [String: String](list { ($0.text(), $0.text()) }, uniquingKeysWith: { first, _ in first }),
            directory: optional { $0.text() },
            standardInput: optional { $0.text() },
            timeout: optional { $0.duration() },
            gracePeriod: optional { .after($0.duration()) } ?? .forever
        )
    }

    mutating func batch() -> DispatchBatch {
        let works = [work()] + list { $0.work() }
        let queues = [text()] + list { $0.text() }
        return DispatchBatch(
            works: works,
            queues: queues,
            items: list {
                DispatchBatch.Item(
                    $0.assignment(),
                    work: .random(in: 0..<UInt32(works.count), using: &$0.generator),
                    queue: .random(in: 0..<UInt32(queues.count), using: &$0.generator)
                )
            }
        )
    }

    private mutating func assignment() -> Assignment {
        Assignment(
            token: token(),
            operation: id(),
            attempt: number(),
            hasInputs: flag(),
            qualityOfService: optional { $0.quality() },
            hookOutcome: optional { $0.pick(Outcome.allCases) },
            turn: number(),
            name: optional { $0.text() },
            arrayNumber: optional { $0.number() },
            arrayItem: optional { $0.text() }
        )
    }

    private mutating func attemptResult() -> AttemptResult {
        AttemptResult(
            end: pick([
                .exited(number()), .signalled(number()), .timedOut,
                .cancelled(exitStatus: optional { $0.number() }, signal: optional { $0.number() }),
                .notStarted(text()), .unusableResult(text()), .unkeptFiles(text()),
                .threw(text()), .workerFault(text(), hasRun: flag()), .interrupted, .stopped,
                .noRoom(RoomLack(wanted: number(), limit: number(), taken: number()), hasRun: flag()),
                .lostInputs(text()),
            ]),
            microseconds: number(),
            standardOutput: OutputTail(totalLength: number(), bytes: bytes()),
            standardError: OutputTail(totalLength: number(), bytes: bytes()),
            result: optional { $0.bytes() },
            usage: optional { random in
                AttemptUsage(
                    processorMicroseconds: random.number() & .max,
                    peakMemory: random.number() & .max
                )
            },
            files: optional { random in [random.keptFile()] + random.list { $0.keptFile() } } ?? []
        )
    }

    private mutating func keptFile() -> KeptFile {
        KeptFile(path: path(), size: number() & .max, mode: number() & KeptFile.permissions, digest: digest())
    }

    private mutating func digest() -> ContentDigest {
        let bytes = (0..<ContentDigest.length).map { _ in number() as UInt8 }
        return ContentDigest(bytes: bytes) ?? SampleDigests.digest(0)
    }

    private mutating func ticket() -> ReaderTicket { ReaderTicket(high: number(), low: number()) }

    private mutating func dataAddress() -> DataAddress {
        let endpoint = pick(["tcp://10.0.0.2:7463", "tcp://[::1]:1", "tcp://host.example:65535", "tcp://x"])
        let key = optional { random in (0..<DataAddress.keyLength).map { _ in random.number() as UInt8 } }
        guard let address = DataAddress(endpoint: endpoint, publicKey: key) else {
            preconditionFailure("\(endpoint) is an endpoint of TCP.")
        }
        return address
    }

    /// A path of one to four parts.
    private mutating func path() -> String {
        (0...Int.random(in: 0...3, using: &generator)).map { _ in folder() }.joined(separator: "/")
    }

    private mutating func folder() -> String {
        let longest = String(repeating: "x", count: KeptFile.maximumPartLength)
        return pick(["a", ".b", "...", "c d", "\n", "é", "👩‍👩‍👧", "\u{301}", longest])
    }

    private mutating func filePiece() -> FilePiece {
        let bytes = bytes()
        let offset: UInt64 = number() >> 1
        let rest: UInt64 = number() >> 2
        return FilePiece(offset: offset, size: offset + UInt64(bytes.count) + rest, bytes: bytes)
    }

    private mutating func sentPiece() -> SentPiece {
        let bytes = bytes()
        let offset: UInt64 = number() >> 2
        let rest: UInt64 = bytes.isEmpty ? 0 : number() >> 3
        return SentPiece(
            digest: digest(),
            size: offset + UInt64(bytes.count) + rest,
            mode: number() & KeptFile.permissions,
            offset: offset,
            bytes: bytes,
            isLast: rest == 0
        )
    }

    private mutating func submissionWithFiles() -> Submission {
        var submission = submissionWithTags()
        submission.sent = SentFiles(entry: position(), files: [keptFile()] + list { $0.keptFile() })
        submission.rejectsUnplaceable = flag()
        return submission
    }

    private mutating func chunk() -> OutputChunk {
        OutputChunk(offset: number() >> 1, bytes: bytes(), totalLength: number(), isComplete: flag())
    }

    private mutating func rank() -> LeaderRank {
        LeaderRank(
            record: Incarnation(rawValue: number()),
            epoch: number(),
            incarnation: Incarnation(rawValue: number())
        )
    }

    private mutating func leadership() -> Leadership {
        Leadership(isLeading: flag(), rank: optional { $0.rank() }, leader: optional { $0.text() })
    }

    private mutating func refusal() -> Refusal {
        let later = Refusal.Code(rawValue: "fromALaterVersion")
        return Refusal(pick([.cycle, .notFound, .incompatible, later]), text(), path: list { $0.text() })
    }

    private mutating func counts() -> JobCounts {
        var counts = JobCounts()
        counts.pending = position()
        counts.ready = position()
        counts.executing = position()
        for outcome in Outcome.allCases { counts[outcome] = position() }
        counts.isCancelled = counts.skipped < .max && flag()
        return counts
    }

    private mutating func address() -> Address {
        pick([.job(job()), .operation(id()), .named(job(), text())])
    }

    private mutating func condition() -> DependencyCondition { pick(DependencyCondition.allCases) }
    private mutating func quality() -> QualityOfService { pick(QualityOfService.allCases) }
    private mutating func stream() -> OutputStream { pick(OutputStream.allCases) }
    private mutating func session() -> SessionID { SessionID(rawValue: number()) }
    private mutating func token() -> AttemptToken {
        AttemptToken(rawValue: number(), of: Incarnation(rawValue: number()))
    }
    private mutating func job() -> JobNumber { JobNumber(number()) }
    private mutating func id() -> OperationID { OperationID(job: job(), index: number()) }
    private mutating func moment() -> RecordMoment {
        RecordMoment(clock: Timestamp(rawValue: number()), time: Timestamp(rawValue: number()))
    }
    private mutating func age() -> Int64 { max(0, number() as Int64) }

    private mutating func offeredWorker() -> OfferedWorker {
        OfferedWorker(
            slots: Int(number() as UInt16),
            cpus: optional { Int($0.number() as UInt32) },
            memory: optional { Int64($0.number() as UInt32) },
            resources: flag() ? ["gpu": 2] : [:],
            labels: flag() ? ["zone": text()] : [:],
            time: optional { $0.duration() }
        )
    }

    private mutating func duration() -> Duration { .microseconds(number() as Int64) }
    private mutating func flag() -> Bool { Bool.random(using: &generator) }

    /// A random number of any type; small numbers and the type's limits are as likely as large numbers.
    private mutating func number<Number: FixedWidthInteger>() -> Number {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: Number.max
        case 1: Number.min
        default:
            Number.random(in: .min ... .max, using: &generator)
                >> Number.random(in: 0..<Number(Number.bitWidth - 1), using: &generator)
        }
    }

    /// A number that is not negative.
    private mutating func position() -> Int {
        number() & .max
    }

    private mutating func text() -> String {
        let alphabet = ["a", "B", "0", " ", "/", "\0", "\n", "é", "名", "👩‍👩‍👧", "\u{FFFD}", "\u{10FFFF}"]
        return (0..<Int.random(in: 0...6, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? ""
        }
        .joined()
    }

    private mutating func bytes() -> [UInt8] {
        list { $0.number() }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &generator)]
    }

    private mutating func list<Element>(_ element: (inout RandomMessages) -> Element) -> [Element] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in element(&self) }
    }

    private mutating func optional<Value>(_ value: (inout RandomMessages) -> Value) -> Value? {
        switch presence {
        case .always: value(&self)
        case .never: nil
        case .atRandom: flag() ? value(&self) : nil
        }
    }
}
