import Foundation
import BatonZeroMQ

/// The coordinator: the one process that owns the graph, the order and the record.
///
/// It opens its record and binds its address when it is made, so that whoever makes it knows that both are right before
/// saying that it is ready. It serves on a thread of its own, which no other thread shares its socket with.
public final class CoordinatorServer: Sendable {
    /// The address that workers and clients connect to, with the number of the port that was chosen.
    public let endpoint: String

    private let letters: Mailbox<LoopEvent>
    private let end = OneShot<Result<Void, CoordinatorError>>()

    /// Opens the record, binds the address, and starts to serve.
    ///
    /// - Throws: ``CoordinatorError``; nothing is left open or locked then.
    public init(_ options: CoordinatorOptions) throws(CoordinatorError) {
        do {
            letters = try Mailbox<LoopEvent>()
        } catch {
            throw CoordinatorError(.other, "The coordinator cannot start: \(error).")
        }
        let letters = letters
        let end = end
        let started = OneShot<Result<String, CoordinatorError>>()
        let thread = Thread {
            do throws(CoordinatorError) {
                let loop = try CoordinatorLoop(options, letters: letters)
                started.set(.success(loop.endpoint))
                end.set(Result { () throws(CoordinatorError) in try loop.run() })
            } catch {
                started.set(.failure(error))
            }
        }
        thread.name = "coordinator"
        thread.start()
        endpoint = try started.wait().get()
    }

    /// Blocks the calling thread until the coordinator has stopped.
    ///
    /// - Throws: ``CoordinatorError`` where it could not go on.
    public func run() throws(CoordinatorError) {
        try end.wait().get()
    }

    /// Asks the coordinator to stop: what it took is put on disk and answered, then it closes its port.
    ///
    /// Any thread may call it, and more than once. Workers go on with what they run.
    public func stop() {
        letters.post(.stop)
    }
}
