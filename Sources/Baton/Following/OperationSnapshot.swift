@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// What the coordinator's document tells of an operation.
///
/// Only what the program's objects need is read: a job may have a million operations.
struct OperationSnapshot: Sendable {
    let address: OperationAddress
    let name: String?
    let queue: String
    let state: OperationState
    let outcome: OperationOutcome?
    let isCancelled: Bool
    let priority: DistributedOperation.QueuePriority
    let quality: BatonOperations.QualityOfService?
    let isHeld: Bool
    let isBarrier: Bool
    let attempt: Int
    let worker: String?
    let reason: String?
    let message: String?
    let exitStatus: Int32?
    let signal: Int32?
    let progress: OperationProgress
    let command: [String]?
    let commands: [[String]]?
    let type: String?
    let argument: String?
    /// The number of an array's element.
    let index: Int64?

    /// Reads a document; nil if it has another form.
    init?(_ tree: JSONTree, at object: Int = 0) {
        guard let address = tree.text("operation", of: object).flatMap({ OperationAddress($0) }),
            let queue = tree.text("queue", of: object),
            let state = tree.text("state", of: object).flatMap({ OperationState(rawValue: $0) })
        else { return nil }
        self.address = address
        self.queue = queue
        self.state = state
        name = tree.text("name", of: object)
        outcome = tree.text("outcome", of: object).flatMap { OperationOutcome(rawValue: $0) }
        isCancelled = tree.flag("cancelled", of: object)
        priority = .init(clamping: tree.number("priority", of: object) ?? 0)
        quality = tree.text("qos", of: object).flatMap { BatonOperations.QualityOfService($0) }
        isHeld = tree.flag("held", of: object)
        isBarrier = tree.flag("barrier", of: object)
        attempt = tree.number("attempt", of: object) ?? 0
        worker = tree.text("worker", of: object)
        reason = tree.text("reason", of: object)
        message = tree.text("message", of: object)
        exitStatus = tree.number("exitStatus", of: object).flatMap { Int32(exactly: $0) }
        signal = tree.number("signal", of: object).flatMap { Int32(exactly: $0) }
        progress = OperationProgress(
            fraction: tree.fraction("progress", of: object) ?? 0,
            message: tree.text("progressMessage", of: object)
        )
        command = tree.texts("command", of: object)
        commands = tree.member("commands", of: object).flatMap { list in
            tree.nodes[list].kind == .array ? tree.elements(of: list).map { tree.strings(of: $0) } : nil
        }
        type = tree.text("type", of: object)
        argument = tree.text("argument", of: object)
        index = tree.number("index", of: object).map { Int64($0) }
    }

    /// Why the operation has not succeeded; nil before its end, and after a success.
    var error: OperationError? {
        guard let outcome, outcome != .succeeded else { return nil }
        return OperationError(
            code: OperationError.Code(rawValue: reason ?? outcome.rawValue),
            outcome: outcome,
            message: message ?? "The operation ended without success.",
            name: name,
            address: address,
            attempt: attempt
        )
    }
}

extension OperationSnapshot {
    /// Reads a document in UTF-8.
    ///
    /// - Throws: ``ClusterError`` `fault` if it has another form.
    init(_ document: [UInt8]) throws(ClusterError) {
        var tree = JSONTree(bytes: document, dialect: .json)
        guard (try? tree.parse(0..<document.count)) == true, let snapshot = OperationSnapshot(tree) else {
            throw .unreadable
        }
        self = snapshot
    }
}

extension JSONTree {
    /// The texts of an array.
    fileprivate func strings(of array: Int) -> [String] {
        guard nodes[array].kind == .array else { return [] }
        return elements(of: array).compactMap { nodes[$0].kind == .string ? try? text(of: $0) : nil }
    }
}
