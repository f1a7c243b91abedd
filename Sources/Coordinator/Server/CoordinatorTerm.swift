@_spi(Baton) import BatonThreads

/// One term of a coordinator; another thread frees the memory of the term, so that the coordinator does not wait.
///
/// The thread that releases the last reference to a loop frees the loop and its graph, which may have a million operations. So the loop is
/// in a box, and another thread empties the box.
final class CoordinatorTerm: Sendable {
    /// Only the coordinator's thread uses the loop, and after the end of the term only the thread that frees the loop.
    nonisolated(unsafe) private var loop: CoordinatorLoop?

    init(_ loop: CoordinatorLoop) { self.loop = loop }

    /// Serves until the end of the term.
    func run() throws(CoordinatorError) -> TermEnd {
        guard let loop else { return .stopped }
        return try loop.run()
    }

    /// Frees the memory on another thread; nothing may use the term afterwards.
    func free() {
        do throws(ThreadFailure) {
            try SystemThread.detach(named: "freeing") { self.loop = nil }
        } catch {
            // Without room for a thread, everybody waits.
            loop = nil
        }
    }
}
