@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Whether the directory of results is the one that the worker has made.
///
/// An operation that has written a result, and one that has written none, look alike once another program has removed or replaced the
/// directory. The descriptor keeps the directory's inode number from being given to another one.
final class ResultsPlace: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        /// The identity of the directory; nil before there is one.
        var identity: FileIdentity?
        /// How many directories have been at the path.
        var count = 0
    }

    private let path: String
    private let state = Mutex(State())

    init(_ path: String) {
        self.path = path
    }

    deinit {
        state.withLock { state in
            if state.descriptor >= 0 { closeDescriptor(state.descriptor) }
        }
    }

    /// The number of the present directory, another one for each directory; nil while something else is at the path.
    var number: Int? {
        state.withLock { state -> Int? in
            guard let identity = state.identity, FileIdentity(at: path) == identity else { return nil }
            return state.count
        }
    }

    /// Takes the directory that is at the path now for the worker's own.
    ///
    /// - Returns: whether it is another one than before.
    /// - Throws: ``FileFailure`` if there is no directory.
    func adopt() throws(FileFailure) -> Bool {
        guard number == nil else { return false }
        let descriptor = openDescriptor(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        guard descriptor >= 0 else { throw FileFailure("Cannot open the directory", path) }
        guard let identity = FileIdentity(of: descriptor) else {
            let failure = FileFailure("Cannot open the directory", path)
            closeDescriptor(descriptor)
            throw failure
        }
        state.withLock { state in
            if state.descriptor >= 0 { closeDescriptor(state.descriptor) }
            state.descriptor = descriptor
            state.identity = identity
            state.count += 1
        }
        return true
    }
}
