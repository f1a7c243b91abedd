@_spi(Baton) import BatonClient
import Foundation
@_spi(Baton) import BatonOperations
import BatonTestSockets
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@Suite("A client's connection", .timeLimit(.minutes(60)))
struct ConnectionTests {
    private let patient = ClientOptions.patient

    private let submission = Submission(
        templates: [Template(work: Work(.noOperation))],
        entries: [Entry(template: 0, queue: 0)]
    )

    /// An endpoint without a listener.
    private func deadEndpoint() throws -> String {
        let fake = try FakeCoordinator()
        fake.stop()
        return fake.endpoint
    }

    // MARK: - Answers

    @Test("A connection sends its hello first and returns the answer to a request")
    func roundTrip() async throws {
        let seen = Shared<[String]>([])
        let fake = try FakeCoordinator(
            greeting: { range in
                seen { $0.append("hello \(range.newest)") }
                return [.send(.welcomeOfTest)]
            },
            answering: { number, request in
                seen { $0.append("\(request)") }
                return [.send(.reply(number, .document([1, 2])))]
            }
        )
        let connection = try ClientConnection(endpoint: fake.endpoint, options: patient)
        #expect(try await connection.document(.status) == [1, 2])
        #expect(seen { $0 } == ["hello \(ProtocolVersion.newest)", "\(Request.document(.status))"])
    }

    @Test("A connection assigns answers to their requests in any order of arrival")
    func outOfOrder() async throws {
        let waiting = Shared<[(UInt64, String)]>([])
        let fake = try FakeCoordinator(answering: { number, request in
            guard case .document(.queue(let name)) = request else { return [] }
            return waiting { waiting in
                waiting.append((number, name))
                guard waiting.count == 3 else { return [] }
                return waiting.reversed().map { .send(.reply($0.0, .document(Array($0.1.utf8)))) }
            }
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: patient)
        async let first = connection.document(.queue("a"))
        async let second = connection.document(.queue("b"))
        async let third = connection.document(.queue("c"))
        let answers = try await [first, second, third]
        #expect(answers == [[0x61], [0x62], [0x63]])
    }

    @Test("A change whose answer is late is told once, and a wait is not")
    func lateAnswer() async throws {
        var options = patient
        options.lateAfter = .milliseconds(20)
        // The answer is late if it is missing some time after a probe, which is a part of this.
        options.probeAfter = .seconds(1)
        let held = Shared<[UInt64]>([])
        let fake = try FakeCoordinator(answering: { number, request in
            switch request {
            case .document(.status):
                return held { $0 }.map { .send(.reply($0, .changed(ChangeReport(changed: 1)))) }
                    + [.send(.reply(number, .document([])))]
            case .wait: return []
            default:
                held { $0.append(number) }
                return []
            }
        })
        let notices = AsyncStream<ClientNotice>.makeStream()
        let connection = try ClientConnection(endpoint: fake.endpoint, options: options) {
            notices.continuation.yield($0)
        }
        let wait = connection.send(.wait([], queue: "q", atMost: .seconds(30), waiter: nil), timeout: nil) { _ in }
        async let change = connection.change(.hold([.job(JobNumber(1))]))
        var iterator = notices.stream.makeAsyncIterator()
        #expect(await iterator.next() == .late)
        _ = try await connection.document(.status)
        #expect(try await change.changed == 1)
        connection.forget(wait)
        connection.close()
        notices.continuation.finish()
        #expect(await iterator.next() == nil, "only one notice, and none of the wait")
    }

    @Test("A refused request throws the refusal, and the connection answers the next request")
    func refusedRequest() async throws {
        let refusal = Refusal(.notFound, "There is no job 7.")
        let fake = try FakeCoordinator(answering: { number, request in
            [.send(.reply(number, request == .document(.status) ? .document([]) : .refused(refusal)))]
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: patient)
        await #expect(throws: ClientError.refused(refusal, .document(.workers))) {
            try await connection.document(.workers)
        }
        #expect(try await connection.document(.status) == [])
    }

    @Test("An answered submission returns its job's number, its count of operations and whether it is new")
    func submitted() async throws {
        let fake = try FakeCoordinator(answering: { number, _ in
            [.send(.reply(number, .job(JobNumber(12), operations: 4, isNew: true)))]
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: patient)
        let job = try await connection.submit(submission)
        #expect(job.number == JobNumber(12))
        #expect(job.operations == 4)
        #expect(job.isNew)
    }

    @Test("A request for a document that is answered with a change throws a malformed-reply error")
    func wrongKind() async throws {
        let fake = try FakeCoordinator(answering: { number, _ in [.send(.reply(number, .oneChange))] })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: patient)
        let error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
        #expect(error?.code == .malformedReply)
    }

    // MARK: - No process, or a foreign process, at the address

    @Test("A request to a port without a listener fails at once, and a later request succeeds once there is one")
    func nobodyListens() async throws {
        let endpoint = try deadEndpoint()
        var options = patient
        options.connectTimeout = .seconds(600)
        let connection = try ClientConnection(endpoint: endpoint, options: options)
        await #expect(throws: ClientError.unreachable(endpoint)) { try await connection.document(.status) }
        #expect(
            ClientError.unreachable("tcp://127.0.0.1:7461").message
                == "No coordinator answers at tcp://127.0.0.1:7461."
        )
        // The connection has not given up for ever.
        let fake = try FakeCoordinator(
            at: endpoint,
            answering: { number, _ in [.send(.reply(number, .oneChange))] }
        )
        _ = try await connection.change(.setQueue(QueueChange(name: "q")))
        fake.stop()
    }

    @Test("A request to an unknown host throws an error that names the host")
    func unknownHost() async throws {
        let connection = try ClientConnection(endpoint: "tcp://no-such-host.invalid:7461", options: patient)
        await #expect(
            throws: ClientError.unknownHost("no-such-host.invalid", endpoint: "tcp://no-such-host.invalid:7461")
        ) {
            try await connection.document(.status)
        }
    }

    @Test(
        "A connection refuses an endpoint that is not a valid TCP address",
        arguments: ["", "127.0.0.1:7461", "http://h:1", "tcp://h", "tcp://h:99999"]
    )
    func invalidEndpoint(endpoint: String) async throws {
        let connection = try ClientConnection(endpoint: endpoint, options: patient)
        await #expect(throws: ClientError.invalidEndpoint(endpoint)) { try await connection.document(.status) }
    }

    @Test("A server that accepts connections and stays silent is reported as silent")
    func silentServer() async throws {
        let server = try SilentServer()
        var options = patient
        options.welcomeTimeout = .milliseconds(300)
        let connection = try ClientConnection(endpoint: server.endpoint, options: options)
        await #expect(throws: ClientError.silent(server.endpoint)) { try await connection.document(.status) }
    }

    @Test(
        "A peer that ignores the hello or answers it with garbage is reported as no coordinator",
        arguments: [true, false]
    )
    func noWelcome(isGarbage: Bool) async throws {
        let fake = try FakeCoordinator(greeting: { _ in isGarbage ? [.sendBytes([0xDE, 0xAD])] : [] })
        var options = patient
        // Garbage needs no limit to be noticed.
        if !isGarbage { options.welcomeTimeout = .milliseconds(300) }
        var error: ClientError?
        // On a busy host, the limit may pass before the handshake ends, and the peer is then silent: a longer one tells.
        while true {
            let connection = try ClientConnection(endpoint: fake.endpoint, options: options)
            error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
            guard error?.message == ClientError.silent(fake.endpoint).message, options.welcomeTimeout < .seconds(600)
            else { break }
            options.welcomeTimeout = options.welcomeTimeout * 2
        }
        #expect(error?.message == ClientError.notCoordinator(fake.endpoint).message)
    }

    @Test("A coordinator's refusal of the hello is thrown to the caller")
    func incompatible() async throws {
        let refusal = Refusal(.incompatible, "Upgrade the client.")
        let fake = try FakeCoordinator(greeting: { _ in [.send(.refused(refusal))] })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: patient)
        await #expect(throws: ClientError.refused(refusal)) { try await connection.document(.status) }
    }

    @Test("Garbage from a coordinator fails the outstanding request, and the next request is answered")
    func garbage() async throws {
        let fake = try FakeCoordinator(answering: { number, request in
            request == .document(.status) ? [.sendBytes([0xBA, 0xFF, 1, 2, 3])] : [.send(.reply(number, .oneChange))]
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: patient)
        let error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
        #expect(error?.code == .malformedReply)
        _ = try await connection.change(.setQueue(QueueChange(name: "q")))
    }

    // MARK: - Losing the coordinator

    @Test("WA8 A repeatable request is sent again once the coordinator is back, and the owner is notified of both")
    func comesBack() async throws {
        let first = try FakeCoordinator(answering: { _, _ in [.vanish] })
        let notices = AsyncStream<ClientNotice>.makeStream()
        let connection = try ClientConnection(endpoint: first.endpoint, options: patient) {
            notices.continuation.yield($0)
        }
        async let answer = connection.document(.workers)
        var iterator = notices.stream.makeAsyncIterator()
        #expect(await iterator.next() == .away)
        let second = try FakeCoordinator(
            at: first.endpoint,
            answering: { number, _ in [.send(.reply(number, .document([7])))] }
        )
        #expect(try await answer == [7])
        #expect(await iterator.next() == .back)
        second.stop()
    }

    // "baton cancel" told that nothing was left to cancel, although its first time had cancelled 5,000 operations.
    @Test("A change that is sent again says that its first time is not counted, and the next one says nothing of it")
    func repeatedChange() async throws {
        let first = try FakeCoordinator(answering: { _, _ in [.vanish] })
        let notices = AsyncStream<ClientNotice>.makeStream()
        let connection = try ClientConnection(endpoint: first.endpoint, options: patient) {
            notices.continuation.yield($0)
        }
        let change = Request.cancel([.job(JobNumber(1))], queue: nil)
        async let report = connection.change(change)
        var iterator = notices.stream.makeAsyncIterator()
        #expect(await iterator.next() == .away)
        let second = try FakeCoordinator(
            at: first.endpoint,
            answering: { number, _ in [.send(.reply(number, .changed(ChangeReport(changed: 0))))] }
        )
        let notes = try await report.notes
        #expect(notes.count == 1 && notes[0].contains("the first time is not counted"), "\(notes)")
        #expect(try await connection.change(change).notes.isEmpty)
        second.stop()
    }

    @Test(
        "D14 What adds jobs or operations is sent again under its key to a coordinator that comes back, also if its user gave none",
        arguments: ["once", nil],
        [true, false]
    )
    func submissionWithoutAnswer(_ key: String?, _ makesJob: Bool) async throws {
        let keys = Shared<[String?]>([])
        @Sendable func note(_ request: Request) {
            switch request {
            case .submit(let submission), .add(let submission, _): keys { $0.append(submission.key) }
            default: break
            }
        }
        let away = AsyncStream<ClientNotice>.makeStream()
        let first = try FakeCoordinator(answering: { _, request in
            note(request)
            return [.vanish]
        })
        let connection = try ClientConnection(endpoint: first.endpoint, options: patient) {
            away.continuation.yield($0)
        }
        var sent = submission
        sent.key = key
        async let job =
            makesJob
            ? connection.submit(sent).number : connection.add(sent, to: JobNumber(3)).job
        var iterator = away.stream.makeAsyncIterator()
        #expect(await iterator.next() == .away)
        let second = try FakeCoordinator(
            at: first.endpoint,
            answering: { number, request in
                note(request)
                let answer: Reply =
                    makesJob
                    ? .job(JobNumber(3), operations: 1, isNew: false)
                    : .added(JobNumber(3), first: 0, operations: 1, isNew: false)
                return [.send(.reply(number, answer))]
            }
        )
        #expect(try await job == JobNumber(3))
        second.stop()
        let used = keys { $0 }
        let once = try #require(used.first.flatMap { $0 })
        #expect(used == [once, once])
        #expect(key == nil ? Submission.isOwn(key: once) : once == key)
    }

    @Test("A submission without a key of its user fails as unanswered if the coordinator stays away")
    func submissionStaysUnanswered() async throws {
        let fake = try FakeCoordinator(answering: { _, _ in [.vanish] })
        var options = patient
        options.awayLimit = .milliseconds(500)
        options.reconnectPause = .milliseconds(10)
        let connection = try ClientConnection(endpoint: fake.endpoint, options: options)
        var unanswered = ClientError.submissionUnanswered(fake.endpoint)
        unanswered.mayBeDone = true
        await #expect(throws: unanswered) { try await connection.submit(submission) }
    }

    @Test(
        "A request fails as lost if the coordinator does not come back within the time limit, and may have been carried out"
    )
    func staysAway() async throws {
        let fake = try FakeCoordinator(answering: { _, _ in [.vanish] })
        var options = patient
        options.awayLimit = .milliseconds(500)
        options.reconnectPause = .milliseconds(10)
        let connection = try ClientConnection(endpoint: fake.endpoint, options: options)
        var lost = ClientError.lost(fake.endpoint, after: .milliseconds(500))
        lost.mayBeDone = true
        await #expect(throws: lost) { try await connection.document(.status) }
    }

    @Test("A request is sent once and waits for a slow answer while the coordinator answers the client's hellos")
    func slowAnswer() async throws {
        // The answer comes with the fourth sign of life after the welcome.
        let state = Shared<(hellos: Int, asked: UInt64?)>((0, nil))
        let fake = try FakeCoordinator(
            greeting: { _ in
                state { state in
                    state.hellos += 1
                    guard state.hellos == 5, let number = state.asked else { return [.send(.welcomeOfTest)] }
                    return [.send(.welcomeOfTest), .send(.reply(number, .oneChange))]
                }
            },
            answering: { number, _ in
                state { state in
                    #expect(state.asked == nil, "it was asked twice")
                    state.asked = number
                    return []
                }
            }
        )
        var options = patient
        options.probeAfter = .milliseconds(100)
        let connection = try ClientConnection(endpoint: fake.endpoint, options: options)
        _ = try await connection.change(.setQueue(QueueChange(name: "q")))
        // A further probe may precede an answer that a busy host holds up.
        #expect(state { $0.hellos } >= 5)
    }

    @Test(
        "D14 A client waits as long as the coordinator reads, passes on how much is read, and calls no answer late meanwhile"
    )
    func reading() async throws {
        let state = Shared<(hellos: UInt8, asked: UInt64?)>((0, nil))
        let fake = try FakeCoordinator(
            greeting: { _ in
                state { state in
                    guard let number = state.asked else { return [.send(.welcomeOfTest)] }
                    state.hellos += 1
                    // One message each: on a busy host, the client could find the answer late between two.
                    guard state.hellos > 30 else { return [.send(.reading(percent: state.hellos))] }
                    return [.send(.reply(number, .job(JobNumber(3), operations: 1, isNew: true)))]
                }
            },
            answering: { number, _ in
                state { $0.asked = number }
                return []
            }
        )
        var options = patient
        options.probeAfter = .milliseconds(100)
        // As soon as the first probe is due.
        options.lateAfter = options.probeAfter
        let notices = Shared<[ClientNotice]>([])
        let connection = try ClientConnection(endpoint: fake.endpoint, options: options) { notice in
            notices { $0.append(notice) }
        }
        #expect(try await connection.submit(submission).number == JobNumber(3))
        #expect(notices { $0 } == (1...30).map { .reading(percent: $0) } + [.reading(percent: 100)])
    }

    @Test("A request is sent again on a new connection if the coordinator stops answering")
    func silence() async throws {
        let asked = Shared(0)
        let hellos = Shared(0)
        let fake = try FakeCoordinator(
            // The second hello is the sign of life asked for in vain.
            greeting: { _ in
                hellos {
                    $0 += 1; return $0 == 2 ? [] : [.send(.welcomeOfTest)]
                }
            },
            answering: { number, _ in
                asked {
                    $0 += 1; return $0 == 1 ? [] : [.send(.reply(number, .oneChange))]
                }
            }
        )
        var options = patient
        options.probeAfter = .milliseconds(100)
        options.silenceLimit = .milliseconds(300)
        options.reconnectPause = .milliseconds(10)
        let connection = try ClientConnection(endpoint: fake.endpoint, options: options)
        _ = try await connection.change(.setQueue(QueueChange(name: "q")))
        // On a busy host, the second answer may take longer than the limit as well.
        #expect(asked { $0 } >= 2)
    }

    // MARK: - Giving up

    @Test("A request fails when the caller's time runs out, and a submission fails as unanswered")
    func timeout() async throws {
        let fake = try FakeCoordinator(answering: { number, request in
            request == .document(.workers) ? [.send(.reply(number, .document([1])))] : []
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: patient)
        // Only a request on an agreed connection may have arrived, and the handshake may take longer than the time.
        #expect(try await connection.document(.workers) == [1])
        await #expect(throws: ClientError.timedOut(fake.endpoint, after: .milliseconds(50))) {
            try await connection.document(.status, timeout: .milliseconds(50))
        }
        await #expect(throws: ClientError.submissionUnanswered(fake.endpoint)) {
            try await connection.submit(submission, timeout: .milliseconds(50))
        }
    }

    @Test("A cancelled task stops waiting, and a late answer to it does not disturb later requests")
    func cancellation() async throws {
        let asked = AsyncStream<UInt64>.makeStream()
        let fake = try FakeCoordinator(answering: { number, request in
            guard request == .document(.status) else {
                return [.send(.reply(1, .document([9]))), .send(.reply(number, .oneChange))]
            }
            asked.continuation.yield(number)
            return []
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: patient)
        let task = Task { try await connection.document(.status) }
        var iterator = asked.stream.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        task.cancel()
        await #expect(throws: ClientError.cancelled) { try await task.value }
        _ = try await connection.change(.setQueue(QueueChange(name: "q")))

        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await connection.document(.status)
        }
        await #expect(throws: ClientError.cancelled) { try await cancelledBefore.value }
    }

    @Test("A closed connection fails the outstanding request and every later request")
    func closing() async throws {
        let asked = AsyncStream<UInt64>.makeStream()
        let fake = try FakeCoordinator(answering: { number, _ in
            asked.continuation.yield(number)
            return []
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: patient)
        let task = Task { try await connection.document(.status) }
        var iterator = asked.stream.makeAsyncIterator()
        _ = await iterator.next()
        connection.close()
        connection.close()
        var closed = ClientError.closed
        closed.mayBeDone = true
        await #expect(throws: closed) { try await task.value }
        await #expect(throws: ClientError.closed) { try await connection.document(.status) }
    }
}
