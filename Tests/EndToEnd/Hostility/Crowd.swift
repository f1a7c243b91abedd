import Foundation
@_spi(Baton) import BatonOperations
import Synchronization
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Many workers in one thread: connections that say hello, answer, and end attempts on request.
final class Crowd: Sendable {
    private struct Member {
        let name: String
        var session: SessionID
        var socket: Socket
        var source: Poller.Source
        var isWelcome = false
        var held: [ClaimedAttempt] = []
    }

    private struct State {
        var members: [Member] = []
        var poller = Poller()
        var nextSession: UInt64 = 1
    }

    private let endpoint: String
    private let security: SocketSecurity
    private let context: Context
    private let state: Mutex<State>

    /// - Parameter security: the protection of the connections, with a worker's key.
    init(_ endpoint: String, _ security: SocketSecurity) throws {
        self.endpoint = endpoint
        self.security = security
        context = try Context()
        state = Mutex(State())
    }

    /// Connects the given number of workers at once, and waits until each has been welcomed.
    ///
    /// Workers of an earlier call connect again.
    ///
    /// - Returns: the time until the last worker was welcomed.
    func join(_ count: Int) throws -> Duration {
        try state.withLock { state in
            let start = ContinuousClock.now
            let earlier = state.members
            for member in earlier { member.socket.close() }
            state.members = []
            state.poller = Poller()
            for number in 0..<count {
                var options = SocketOptions()
                options.security = security
                let socket = try Socket(.dealer, in: context, options: options)
                try socket.connect(endpoint)
                state.members.append(
                    Member(
                        name: "crowd\(number)",
                        session: SessionID(rawValue: state.nextSession),
                        socket: socket,
                        source: state.poller.add(socket),
                        held: number < earlier.count ? earlier[number].held : []
                    )
                )
                state.nextSession += 1
                try Self.sayHello(state.members[number])
            }
            try Self.work(&state) { members in members.allSatisfy(\.isWelcome) }
            return .now - start
        }
    }

    /// Waits until the workers run the given number of attempts.
    func take(_ count: Int) throws {
        try state.withLock { state in
            for member in state.members { try Self.send(.heartbeat(member.session, number: 1), from: member) }
            try Self.work(&state) { members in members.reduce(0) { $0 + $1.held.count } == count }
        }
    }

    /// Ends all attempts with success.
    func endAttempts() throws {
        try state.withLock { state in
            for member in state.members where !member.held.isEmpty {
                let completions = member.held.map {
                    Completion(token: $0.token, operation: $0.operation, result: AttemptResult(end: .exited(0)))
                }
                try Self.send(.report(member.session, AttemptReport(completions: completions)), from: member)
            }
            try Self.work(&state) { members in members.allSatisfy(\.held.isEmpty) }
        }
    }

    /// Says goodbye for each worker, and closes the connections.
    func leave() throws {
        try state.withLock { state in
            for member in state.members {
                try Self.send(.goodbye(member.session), from: member)
                member.socket.close()
            }
            state.members = []
        }
    }

    /// Handles the coordinator's messages until a condition holds for the workers.
    private static func work(_ state: inout State, until isMet: ([Member]) -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(3600)
        while !isMet(state.members) {
            guard ContinuousClock.now < deadline else { throw Failure("the crowd waits in vain") }
            _ = try state.poller.poll(timeout: .seconds(1))
            for index in state.members.indices where state.poller.isReadable(state.members[index].source) {
                while let message = try state.members[index].socket.receive() {
                    try take(message.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }, &state.members[index])
                }
            }
        }
    }

    private static func take(_ message: CoordinatorMessage, _ member: inout Member) throws {
        switch message {
        case .welcome(let welcome):
            #expect(welcome.staleAttempts == [], "\(member.name)")
            member.isWelcome = true
        case .sayHello:
            try sayHello(member)
        case .dispatch(let batch):
            let received = batch.items.map(\.assignment)
            member.held += received.map {
                ClaimedAttempt(token: $0.token, operation: $0.operation, attempt: $0.attempt)
            }
            try send(
                .report(member.session, AttemptReport(started: received.map { AttemptStart($0.token) })),
                from: member
            )
        case .acknowledge(let tokens):
            member.held.removeAll { tokens.contains($0.token) }
        case .cancel, .refused:
            throw Failure("\(member.name) was told \(message)")
        default: break
        }
    }

    private static func sayHello(_ member: Member) throws {
        let hello = WorkerHello(
            version: "test",
            name: member.name,
            session: member.session,
            slots: 1,
            host: "host",
            processID: 1,
            life: WorkerLife(rawValue: 1),
            sessionNumber: 1,
            attempts: member.held
        )
        try send(.hello(hello), from: member)
    }

    private static func send(_ message: WorkerMessage, from member: Member) throws {
        _ = try member.socket.send(message.encoded())
    }
}
