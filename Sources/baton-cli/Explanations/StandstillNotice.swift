@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Tells the user of a command that waits why nothing of what it waits for can run, once for each reason.
final class StandstillNotice {
    /// What makes a reason news.
    private struct Reason: Hashable {
        var kind: WaitReason.Kind
        var queue: String?
        var worker: String?
    }

    /// The time between two looks: what is taken for a shorter time is no news.
    static let pause = Duration.seconds(1)
    /// How long an answer may take; the wait itself tells of a coordinator that is away.
    private static let answerTimeout = Duration.seconds(2)

    private let addresses: [Address]
    private let queue: String?
    private let connection: ClientConnection
    private let expectsWorkers: Bool
    private let expectsToWait: Bool
    private let deadline: ContinuousClock.Instant?
    private let isWanted: Bool
    private var told: Set<Reason> = []
    /// The reasons of the last look that may be over within a moment.
    private var suspected: Set<Reason> = []
    private var nextLook: ContinuousClock.Instant?

    /// - Parameters:
    ///   - isWanted: whether the user wants to know.
    ///   - expectsWorkers: whether workers are about to join, so that a lack of workers is no news.
    ///   - expectsToWait: whether the user expects these operations to wait for slots that other operations have.
    ///   - deadline: when the command ends at the latest; nil for never.
    init(
        of addresses: [Address],
        queue: String? = nil,
        on connection: ClientConnection,
        isWanted: Bool,
        expectsWorkers: Bool = false,
        expectsToWait: Bool = false,
        until deadline: ContinuousClock.Instant? = nil
    ) {
        self.addresses = addresses
        self.queue = queue
        self.connection = connection
        self.isWanted = isWanted
        self.expectsWorkers = expectsWorkers
        self.expectsToWait = expectsToWait
        self.deadline = deadline
    }

    /// Whether the next look should come soon: nobody has looked yet, or what the last look found may be over within a moment.
    var isUndecided: Bool { isWanted && (nextLook == nil || !suspected.isEmpty) }

    /// Looks for reasons if nothing executes, and tells those that are news.
    ///
    /// - Parameter willTell: called before something is told, to clear a line of progress.
    func look(at progress: WaitProgress, willTell: () -> Void = {}) async {
        guard isWanted, !progress.isFinished, progress.counts.executing == 0 else {
            suspected = []
            if nextLook == nil { nextLook = .now }
            return
        }
        guard nextLook.map({ $0 <= .now }) ?? true else { return }
        defer { nextLook = .now + Self.pause }
        guard let document = await document() else { return }
        var present: Set<Reason> = []
        for operation in document.operations {
            // A full cluster does not matter to an operation that would not start in an empty one.
            let isStuck = operation.waitsFor.contains { !$0.isMomentary }
            for reason in operation.waitsFor {
                if expectsWorkers, reason.kind == .noWorker { continue }
                if isStuck || expectsToWait, reason.isMomentary { continue }
                let mark = Reason(kind: reason.kind, queue: reason.queue, worker: reason.worker)
                if reason.isMomentary { present.insert(mark) }
                guard !told.contains(mark), !reason.isMomentary || suspected.contains(mark) else { continue }
                told.insert(mark)
                willTell()
                Output.note(await sentence(about: reason, of: operation.operation))
            }
        }
        suspected = present.subtracting(told)
    }

    private func document() async -> StandstillDocument? {
        let bytes = try? await connection.document(
            .standstill(addresses, queue: queue),
            timeout: deadline.map { min(Self.answerTimeout, max(.zero, $0 - .now)) } ?? Self.answerTimeout
        )
        return bytes.flatMap { try? DocumentReader.read(StandstillDocument.self, from: $0) }
    }

    private func sentence(about reason: WaitReason, of operation: OperationID?) async -> String {
        let fact = reason.message.prefix(1).lowercased() + reason.message.dropFirst()
        guard let operation else {
            let advice = Advice.about(reason, of: "").map { " \($0)" } ?? ""
            return "Nothing can run now: \(fact)\(advice)"
        }
        var names = OperationNames(on: connection)
        let label = (try? await names.label(of: operation)) ?? operation.description
        let advice = Advice.about(reason, of: operation.description).map { " \($0)" } ?? ""
        return "Nothing can run now. \(label) waits: \(fact)\(advice)"
    }
}

extension WaitReason {
    /// Whether the reason is usual for a moment in a busy cluster.
    fileprivate var isMomentary: Bool {
        switch kind {
        case .slots, .limit, .barrier, .order: limit != 0 && possible != false
        case .resources, .labels: possible == true
        case .dependency, .files, .hold, .delay, .suspended, .failing, .noWorker: false
        }
    }
}
