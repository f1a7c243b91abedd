@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@Suite("Requests and their answers", .timeLimit(.minutes(60)))
struct RequestTests {
    /// A coordinator with the same answer to every request, and the list of requests.
    private func coordinator(_ reply: Reply) throws -> (FakeCoordinator, ClientConnection, asked: Shared<[Request]>) {
        let asked = Shared<[Request]>([])
        let fake = try FakeCoordinator(answering: { number, request in
            asked { $0.append(request) }
            return [.send(.reply(number, reply))]
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: .patient)
        return (fake, connection, asked)
    }

    private let job = Address.job(JobNumber(12))
    private let operation = Address.operation(OperationID(job: JobNumber(12), index: 3))

    @Test("Each kind of change is sent as it was requested, and its report is returned unchanged")
    func changes() async throws {
        let report = ChangeReport(changed: 2, notes: ["12/3 is executing."], unanswered: ["w1"])
        let (fake, connection, asked) = try coordinator(.changed(report))
        let requests: [Request] = [
            .cancel([job], queue: "q"), .hold([job, operation]), .release([operation]), .setPriority([job], .low),
            .depend(operation, [ExistingDependency(on: job, condition: .success)]), .undepend(operation, [job]),
            .addCommand(operation, ["ls"]), .pause([job]), .resume([operation]), .signal([job], .hangUp),
            .setQueue(QueueChange(name: "q", isSuspended: true, total: 7)),
            .reportProgress(
                OperationID(job: JobNumber(12), index: 3),
                attempt: 2,
                OperationProgress(fraction: 0.5, message: "half")
            ),
        ]
        for request in requests { #expect(try await connection.change(request) == report) }
        #expect(asked { $0 } == requests)
        fake.stop()
    }

    @Test("A retry sends the job and the key, and returns the new job")
    func retry() async throws {
        let (fake, connection, asked) = try coordinator(.job(JobNumber(13), operations: 2, isNew: false))
        let job = try await connection.retry(JobNumber(12), key: "once")
        #expect(job.number == JobNumber(13))
        #expect(job.operations == 2)
        #expect(!job.isNew)
        #expect(asked { $0 } == [.retry(JobNumber(12), again: false, key: "once")])
        fake.stop()
    }

    @Test(
        "A retry that a coordinator of 0.1.0 cannot read is sent as that version reads it, and another refusal is final"
    )
    func retryOfEarlierCoordinator() async throws {
        let unread = WireError.malformed("A peer's unnamed message is malformed: the request's kind is 28.")
        for (refusal, isRepeated) in [
            (Refusal.unread(unread), true), (Refusal(.retried, "Job 12 was retried already, as 13: failed."), false),
            (Refusal(.invalid, "There is nothing to submit again of 12."), false),
        ] {
            let asked = Shared<[Request]>([])
            let fake = try FakeCoordinator(answering: { number, request in
                asked { $0.append(request) }
                let isRead =
                    if case .retry(_, _, _, _, _, let again, let rejects, _, _) = request { again && !rejects } else {
                        false
                    }
                return [
                    .send(.reply(number, isRead ? .job(JobNumber(13), operations: 2, isNew: true) : .refused(refusal)))
                ]
            })
            let connection = try ClientConnection(endpoint: fake.endpoint, options: .patient)
            if isRepeated {
                #expect(try await connection.retry(JobNumber(12), key: "once").number == JobNumber(13))
            } else {
                let error = await #expect(throws: ClientError.self) {
                    _ = try await connection.retry(JobNumber(12), key: "once")
                }
                #expect(error?.refusal == refusal)
            }
            let sent = [false, true].prefix(isRepeated ? 2 : 1)
            #expect(asked { $0 } == sent.map { .retry(JobNumber(12), again: $0, key: "once") })
            asked { $0 = [] }
            _ = try? await connection.retry(JobNumber(12), again: true, rejectsUnplaceable: true, key: "once")
            let placed = [true, false].prefix(isRepeated ? 2 : 1)
            #expect(
                asked { $0 } == placed.map { .retry(JobNumber(12), again: true, rejectsUnplaceable: $0, key: "once") }
            )
            // Without the changes, it would be another retry.
            asked { $0 = [] }
            let changes = RetryChanges(memory: 1 << 30)
            _ = try? await connection.retry(JobNumber(12), key: "once", changes: changes)
            #expect(asked { $0 } == [.retry(JobNumber(12), again: false, key: "once", changes: changes)])
            fake.stop()
        }
    }

    @Test("OB10 A request for events sends its position and limits, and returns the coordinator's page")
    func events() async throws {
        let page = EventPage(lines: Array("{}\n".utf8), last: 813, missed: 400)
        let (fake, connection, asked) = try coordinator(.events(page))
        #expect(try await connection.events(since: 412, limit: 5, atMost: .seconds(30)) == page)
        #expect(try await connection.events(since: nil, atMost: .zero) == page)
        let selection = EventSelection(jobs: [JobNumber(12)], queues: ["q"])
        #expect(try await connection.events(since: 7, atMost: .zero, of: selection) == page)
        #expect(
            asked { $0 } == [
                .watch(since: 412, limit: 5, atMost: .seconds(30)), .watch(since: nil, limit: 1000, atMost: .zero),
                .watch(since: 7, limit: 1000, atMost: .zero, of: selection),
            ]
        )
        fake.stop()
    }

    @Test("A change, retry, watch or wait that is answered with a document throws a malformed-reply error")
    func wrongKinds() async throws {
        func expectMalformed(_ body: () async throws -> Void) async {
            let error = await #expect(throws: ClientError.self) { try await body() }
            #expect(error?.code == .malformedReply)
        }
        let (first, connection, _) = try coordinator(.document([]))
        await expectMalformed { _ = try await connection.change(.hold([job])) }
        await expectMalformed { _ = try await connection.retry(JobNumber(12), key: "once") }
        await expectMalformed { _ = try await connection.events(since: 1, atMost: .zero) }
        await expectMalformed { _ = try await connection.progress(of: [job], atMost: .zero) }
        first.stop()
    }

    @Test("OB10 A watch is sent again with the same position to a coordinator that comes back")
    func watchIsAskedAgain() async throws {
        let asked = Shared<[Request]>([])
        let first = try FakeCoordinator(answering: { _, request in
            asked { $0.append(request) }
            return [.vanish]
        })
        let notices = AsyncStream<ClientNotice>.makeStream()
        let connection = try ClientConnection(endpoint: first.endpoint, options: .patient) {
            notices.continuation.yield($0)
        }
        async let page = connection.events(since: 812, limit: 10, atMost: .seconds(30))
        var iterator = notices.stream.makeAsyncIterator()
        #expect(await iterator.next() == .away)
        let second = try FakeCoordinator(
            at: first.endpoint,
            answering: { number, request in
                asked { $0.append(request) }
                return [.send(.reply(number, .events(EventPage(lines: [], last: 815))))]
            }
        )
        #expect(try await page.last == 815)
        let watch = Request.watch(since: 812, limit: 10, atMost: .seconds(30))
        #expect(asked { $0 } == [watch, watch])
        second.stop()
    }

    @Test("A watch without events is sent once while the coordinator answers the client's hellos")
    func quietWatch() async throws {
        var options = ClientOptions.patient
        options.probeAfter = .milliseconds(50)
        // The fifth hello is the fourth sign of life that the client asks for.
        let state = Shared<(hellos: Int, asked: [UInt64])>((0, []))
        let fake = try FakeCoordinator(
            greeting: { _ in
                state { state in
                    state.hellos += 1
                    guard state.hellos == 5, let number = state.asked.first else { return [.send(.welcomeOfTest)] }
                    return [.send(.welcomeOfTest), .send(.reply(number, .events(EventPage(lines: [], last: 7))))]
                }
            },
            answering: { number, _ in
                state { $0.asked.append(number) }
                return []
            }
        )
        let connection = try ClientConnection(endpoint: fake.endpoint, options: options)
        #expect(try await connection.events(since: 7, atMost: .seconds(600)).last == 7)
        #expect(state { $0.asked.count } == 1)
        fake.stop()
    }
}
