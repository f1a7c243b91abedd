import Baton
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The members that `Operation` and `DistributedOperation` share, as far as the contract is about them.
protocol SharedOperation: AnyObject, Hashable, SendableMetatype {
    associatedtype QueuePriority: RawRepresentable<Int>

    var name: String? { get set }
    var queuePriority: QueuePriority { get set }
    var dependencies: [Self.Base] { get }
    var isReady: Bool { get }
    var isExecuting: Bool { get }
    var isFinished: Bool { get }
    var isCancelled: Bool { get }
    func cancel()
    func waitUntilFinished() throws

    /// The class of all operations of the family.
    associatedtype Base

    func addDependency(_ op: Base)
    func removeDependency(_ op: Base)
    func call(atEnd block: @escaping @Sendable () -> Void)
}

/// The members that `OperationQueue` and `DistributedOperationQueue` share.
protocol SharedQueue: AnyObject {
    associatedtype Base

    var isSuspended: Bool { get set }
    var maxConcurrentOperationCount: Int { get set }
    var progress: Progress { get }
    func addOperation(_ op: Base) throws
    func addOperations(_ ops: [Base], waitUntilFinished wait: Bool) throws
    func add(barrier: Base) throws
    func cancelAllOperations()
    func waitUntilAllOperationsAreFinished() throws
    func listed() throws -> [Base]
    func count() throws -> Int
}

/// One of the two implementations of the contract.
protocol OperationFamily {
    associatedtype Base: SharedOperation where Base.Base == Base
    associatedtype Queue: SharedQueue where Queue.Base == Base

    /// A new queue.
    func queue() throws -> Queue
    /// A new operation that does some things in their order.
    func operation(_ steps: ContractStep...) -> Base
    /// The directory of the notes and gates.
    var directory: String { get }
}

/// Something that an operation does.
enum ContractStep {
    /// Appends a word to the file of notes.
    case note(String)
    /// Waits until a gate is opened.
    case pass(ContractGate)
}

/// A named pipe at which an operation waits.
struct ContractGate: Sendable {
    let path: String

    init(in directory: String) throws {
        path = "\(directory)/gate-\(UUID().uuidString)"
        guard mkfifo(path, 0o600) == 0 else { throw ContractFailure("No named pipe could be made at \(path).") }
    }

    /// Blocks until an operation waits at the gate.
    ///
    /// - Returns: what opens the gate when it is closed.
    func arrival() throws -> FileHandle {
        guard let handle = FileHandle(forWritingAtPath: path) else { throw ContractFailure("No gate is at \(path).") }
        return handle
    }

    /// Blocks until an operation waits at the gate, and opens it.
    func open() throws { try arrival().close() }

    /// Waits until the gate is opened.
    func pass() {
        if let handle = FileHandle(forReadingAtPath: path) { _ = try? handle.readToEnd() }
    }
}

/// A statement of the contract that does not hold.
struct ContractFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

// MARK: - Foundation

extension Operation: SharedOperation {
    func call(atEnd block: @escaping @Sendable () -> Void) { completionBlock = block }
}

extension OperationQueue: SharedQueue {
    func add(barrier: Operation) throws {
        addBarrierBlock { barrier.start() }
    }

    func listed() throws -> [Operation] { operations }
    func count() throws -> Int { operationCount }
}

/// Operations in this process.
struct FoundationFamily: OperationFamily {
    let directory: String

    func queue() throws -> OperationQueue { OperationQueue() }

    func operation(_ steps: ContractStep...) -> Operation {
        let notes = directory + "/notes"
        return BlockOperation {
            for step in steps {
                switch step {
                case .note(let word):
                    let descriptor = open(notes, O_WRONLY | O_APPEND | O_CREAT, 0o600)
                    let line = Array("\(word)\n".utf8)
                    _ = write(descriptor, line, line.count)
                    close(descriptor)
                case .pass(let gate): gate.pass()
                }
            }
        }
    }
}

// MARK: - Baton

extension DistributedOperation: SharedOperation {
    func addDependency(_ op: DistributedOperation) { addDependency(op, requiring: .any) }
    func call(atEnd block: @escaping @Sendable () -> Void) { completionBlock = block }
}

extension DistributedOperationQueue: SharedQueue {
    func add(barrier: DistributedOperation) throws { try addBarrierOperation(barrier) }
    func listed() throws -> [DistributedOperation] { try operations }
    func count() throws -> Int { try operationCount }
}

/// Operations on the workers of a cluster.
struct BatonFamily: OperationFamily {
    let directory: String
    let cluster: Cluster

    func queue() throws -> DistributedOperationQueue { cluster.queue("q-\(UUID().uuidString)") }

    func operation(_ steps: ContractStep...) -> DistributedOperation {
        let lines = steps.map { step in
            switch step {
            case .note(let word): "echo \(word) >> '\(directory)/notes'"
            case .pass(let gate): "{ read x < '\(gate.path)' || :; }"
            }
        }
        return CommandOperation(shell: lines.joined(separator: "\n"))
    }
}
