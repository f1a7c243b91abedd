import CBatonPostgreSQL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One connection to a server, from its opening to its loss: sends statements without waiting, and reads the answers together.
///
/// After a failure, answers can no longer be matched with statements: the connection is closed, and a new connection replaces it.
final class ServerPipeline {
    /// The kind of statement that an answer belongs to.
    enum Purpose {
        /// Any statement.
        case ordinary
        /// The preparation of a statement for its first use.
        case preparation(RemoteStatement)
        /// The statement with which a leader proves that no other coordinator has taken the lead; see ``LeaderRow``.
        case fence
        /// The end of a transaction.
        case commit
    }

    private struct Message {
        var purpose: Purpose
        /// Whether somebody wants the rows.
        var isWanted: Bool
        /// Who wants to know how many rows were changed; nil for nobody.
        var statement: RemoteStatement?
    }

    private let library: UnsafePointer<cpostgresql>
    private var handle: OpaquePointer?
    private let server: RecordServer
    /// The place of the host among those of the record; nil if libpq has chosen.
    private let place: Int?
    /// How long the server may take nothing of what is sent.
    private let patienceOfSending: Duration
    private let notices = ServerNotices()
    /// What was sent, and not answered yet.
    private var messages: [Message] = []
    /// How many of these messages end with a synchronization point of their own, which the server answers before the last message.
    private var earlierEnds = 0
    /// About how many bytes of messages libpq keeps.
    private var unsent = 0
    /// The number that the fence of the last transaction has returned: how many commits there are with it.
    private(set) var fencedCommits: Int64?
    /// How often answers were waited for.
    private(set) var roundTrips = 0

    /// About how many bytes libpq keeps before they are given to the system.
    private static let mostUnsent = 64 << 10

    /// Connects to the first of the servers that takes changes.
    ///
    /// Blocks as long as libpq lets a connection take, which is short for each host.
    init(_ server: RecordServer, lease: Duration?, host: String) throws(SQLError) {
        let library = try PostgreSQLLibrary.load()
        let (connected, place) = try Self.connect(server, lease: lease, host: host, library)
        self.library = library
        self.server = server
        self.place = place
        patienceOfSending = lease ?? .seconds(60)
        handle = connected
        _ = library.pointee.setNoticeReceiver(
            connected,
            { context, result in ServerNotices.note(result, in: context) },
            Unmanaged.passUnretained(notices).toOpaque()
        )
        guard library.pointee.setnonblocking(connected, 1) == 0, library.pointee.enterPipelineMode(connected) == 1
        else {
            throw lost(Self.message(of: connected, library, server))
        }
    }

    deinit {
        close()
    }

    /// Connects to the first of the hosts that takes changes, in the order of ``ServerPlaces``.
    private static func connect(
        _ server: RecordServer,
        lease: Duration?,
        host: String,
        _ library: UnsafePointer<cpostgresql>
    ) throws(SQLError) -> (handle: OpaquePointer, place: Int?) {
        var failures: [String] = []
        for place in ServerPlaces.order(of: server) {
            let parameters = server.connectionParameters(lease: lease, host: host, place: place)
            guard let handle = begin(parameters, library) else { throw SQLError(.noMemory, "out of memory") }
            if library.pointee.status(handle) == Int32(CPOSTGRESQL_CONNECTION_OK) {
                ServerPlaces.noteAnswer(of: place, server)
                return (handle, place)
            }
            failures.append(message(of: handle, library, server))
            library.pointee.finish(handle)
        }
        let message = failures.joined(separator: "; ")
        throw SQLError(ServerFailure.isRefusal(message) ? .permission : .unreachable, message)
    }

    /// Makes a connection, which may have failed; nil without memory.
    private static func begin(
        _ parameters: [(name: String, value: String)],
        _ library: UnsafePointer<cpostgresql>
    ) -> OpaquePointer? {
        let keywords = parameters.map { strdup($0.name) }
        let values = parameters.map { strdup($0.value) }
        defer { (keywords + values).forEach { free($0) } }
        // Both end with NULL.
        let keywordPointers: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer($0) } + [nil]
        let valuePointers: [UnsafePointer<CChar>?] = values.map { UnsafePointer($0) } + [nil]
        return library.pointee.connectdbParams(keywordPointers, valuePointers, 0)
    }

    /// Whether the connection is closed.
    var isClosed: Bool { handle == nil }

    /// Whether answers are to come.
    var hasMessages: Bool { !messages.isEmpty }

    /// The version of the server, such as 150020.
    var serverVersion: Int32 { handle.map { library.pointee.serverVersion($0) } ?? 0 }

    /// The number by which the server's host knows the process of the connection.
    var processID: Int32 { handle.map { library.pointee.backendPID($0) } ?? 0 }

    /// Whether the server is in no transaction.
    var isIdle: Bool {
        handle.map { library.pointee.transactionStatus($0) == Int32(CPOSTGRESQL_TRANSACTION_IDLE) } ?? true
    }

    /// The first warning since the last call.
    func takeWarning() -> String? {
        defer { notices.warning = nil }
        return notices.warning
    }

    /// Closes the connection.
    func close() {
        guard let handle else { return }
        self.handle = nil
        for message in messages { forget(message) }
        messages = []
        library.pointee.finish(handle)
    }

    /// Closes the connection, and returns the error of whoever needs it.
    func lost(_ why: String) -> SQLError {
        close()
        return SQLError(.unreachable, server.withoutPassword(why))
    }

    // MARK: Sending

    /// Prepares a statement.
    func prepare(_ name: String, _ text: String, _ types: [UInt32], for statement: RemoteStatement) throws(SQLError) {
        let handle = try open()
        guard library.pointee.sendPrepare(handle, name, text, Int32(types.count), types) == 1 else {
            throw lost(Self.message(of: handle, library, server))
        }
        messages.append(Message(purpose: .preparation(statement), isWanted: false))
        try note(text.utf8.count)
    }

    /// Runs a prepared statement.
    func send(
        prepared name: String,
        _ parameters: ServerParameters,
        isWanted: Bool,
        for statement: RemoteStatement?
    ) throws(SQLError) {
        let handle = try open()
        let sent = parameters.withPointers { count, values, lengths, forms in
            library.pointee.sendQueryPrepared(handle, name, count, values, lengths, forms, 1)
        }
        guard sent == 1 else { throw lost(Self.message(of: handle, library, server)) }
        messages.append(Message(purpose: .ordinary, isWanted: isWanted, statement: statement))
        try note(parameters.bytes.count)
    }

    /// Runs a statement with numbers as parameters.
    func send(
        _ text: String,
        _ numbers: [Int64] = [],
        purpose: Purpose = .ordinary,
        isWanted: Bool = false
    ) throws(SQLError) {
        var parameters = ServerParameters()
        for number in numbers { try parameters.append(.number(number), as: .integer) }
        try send(text, parameters, [ColumnType](repeating: .integer, count: numbers.count), purpose, isWanted)
    }

    /// Runs a statement.
    func send(
        _ text: String,
        _ parameters: ServerParameters,
        _ types: [ColumnType],
        _ purpose: Purpose = .ordinary,
        _ isWanted: Bool = false
    ) throws(SQLError) {
        let handle = try open()
        let sent = parameters.withPointers { count, values, lengths, forms in
            library.pointee.sendQueryParams(handle, text, count, types.map(\.number), values, lengths, forms, 1)
        }
        guard sent == 1 else { throw lost(Self.message(of: handle, library, server)) }
        messages.append(Message(purpose: purpose, isWanted: isWanted))
        try note(text.utf8.count + parameters.bytes.count)
    }

    /// Runs a statement at once whose answer is read along with the next ones.
    func sendAhead(_ text: String) throws(SQLError) {
        try send(text)
        let handle = try open()
        guard library.pointee.pipelineSync(handle) == 1 else { throw lost(Self.message(of: handle, library, server)) }
        earlierEnds += 1
        _ = try flush()
    }

    private func open() throws(SQLError) -> OpaquePointer {
        guard let handle else { throw SQLError(.unreachable, "the connection to the server is lost") }
        return handle
    }

    /// Gives what was sent to the system, once it is much.
    private func note(_ bytes: Int) throws(SQLError) {
        unsent += bytes
        guard unsent >= Self.mostUnsent else { return }
        unsent = 0
        let end = ContinuousClock.now + patienceOfSending
        while try flush() { try wait(until: end, forRoom: true) }
    }

    // MARK: Answers

    /// Waits for the answers to all that was sent.
    ///
    /// - Parameter patience: how long to wait at most; the connection is lost then.
    /// - Returns: the results of the statements whose rows are wanted, in the order of the statements.
    /// - Throws: the first failure; the others follow from it.
    func synchronize(patience: Duration) throws(SQLError) -> [ServerResult] {
        let handle = try open()
        guard library.pointee.pipelineSync(handle) == 1 else { throw lost(Self.message(of: handle, library, server)) }
        let end = ContinuousClock.now + patience
        unsent = 0
        roundTrips += 1
        while try flush() { try wait(until: end, forRoom: true) }
        var results: [ServerResult] = []
        var failure: SQLError?
        var place = 0
        while true {
            while library.pointee.isBusy(handle) == 1 { try wait(until: end, forRoom: false) }
            guard let result = library.pointee.getResult(handle) else {
                // The end of the answer to a message.
                guard place < messages.count else { throw lost("the server answered more than it was asked") }
                place += 1
                continue
            }
            let status = library.pointee.resultStatus(result)
            switch Int(status) {
            case Int(CPOSTGRESQL_PIPELINE_SYNC):
                library.pointee.clear(result)
                if earlierEnds > 0 {
                    earlierEnds -= 1
                    continue
                }
                for message in messages[min(place, messages.count)...] { forget(message) }
                messages.removeAll(keepingCapacity: true)
                if let failure { throw failure }
                return results
            case Int(CPOSTGRESQL_COMMAND_OK), Int(CPOSTGRESQL_TUPLES_OK), Int(CPOSTGRESQL_EMPTY_QUERY):
                guard place < messages.count else {
                    library.pointee.clear(result)
                    throw lost("the server answered more than it was asked")
                }
                take(ServerResult(result, library), messages[place], &results, &failure)
            default:
                let error = ServerFailure(result, library)
                library.pointee.clear(result)
                if place < messages.count { forget(messages[place]) }
                if error.isEnd || library.pointee.status(handle) != Int32(CPOSTGRESQL_CONNECTION_OK) {
                    throw lost(error.message.isEmpty ? Self.message(of: handle, library, server) : error.message)
                }
                // Aborted messages follow the one that failed.
                if status != Int32(CPOSTGRESQL_PIPELINE_ABORTED), failure == nil {
                    let isFence =
                        if place < messages.count, case .fence = messages[place].purpose { true } else { false }
                    failure = error.error(isFence: isFence)
                }
            }
        }
    }

    private func take(
        _ result: ServerResult,
        _ message: Message,
        _ results: inout [ServerResult],
        _ failure: inout SQLError?
    ) {
        switch message.purpose {
        case .ordinary:
            message.statement?.note(changedRows: result.changedRows)
            if message.isWanted { results.append(result) }
        case .preparation: break
        case .fence: fencedCommits = result.count == 1 ? result.number(0, 1) : nil
        case .commit:
            // A failed transaction ends so, too, and its end is no failure to the server.
            if result.command != "COMMIT", failure == nil {
                failure = SQLError(.statement, "the transaction was rolled back by its end")
            }
        }
    }

    /// Notes that a message had no effect.
    private func forget(_ message: Message) {
        if case .preparation(let statement) = message.purpose { statement.forgetPreparation() }
    }

    /// Gives messages to the system.
    ///
    /// - Returns: whether some are left, for which the system has no room.
    private func flush() throws(SQLError) -> Bool {
        let handle = try open()
        switch library.pointee.flush(handle) {
        case 0: return false
        case 1: return true
        default: throw lost(Self.message(of: handle, library, server))
        }
    }

    /// Waits for bytes of the server, or for room for messages, and takes the bytes.
    private func wait(until end: ContinuousClock.Instant, forRoom: Bool) throws(SQLError) {
        let handle = try open()
        let rest = end - .now
        guard rest > .zero else {
            ServerPlaces.noteSilence(of: place, server)
            throw lost("the server did not answer in time")
        }
        let events = Int16(POLLIN) | (forRoom ? Int16(POLLOUT) : 0)
        var item = pollfd(fd: library.pointee.socket(handle), events: events, revents: 0)
        let count = poll(&item, 1, Int32(clamping: Int64(rest / .milliseconds(1)) + 1))
        // Signals end the wait early, and the callers wait again.
        guard count > 0, item.revents & ~Int16(POLLOUT) != 0 else { return }
        guard library.pointee.consumeInput(handle) == 1 else { throw lost(Self.message(of: handle, library, server)) }
    }

    private static func message(
        of handle: OpaquePointer,
        _ library: UnsafePointer<cpostgresql>,
        _ server: RecordServer
    ) -> String {
        let text = library.pointee.errorMessage(handle).map { String(cString: $0) } ?? ""
        return server.withoutPassword(ServerFailure.line(text))
    }
}
