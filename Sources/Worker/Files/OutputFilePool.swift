import Synchronization

/// The blank files that wait for an attempt.
final class OutputFilePool: Sendable {
    private struct State {
        var idle: [PooledOutputFile] = []
        var lastNumber: UInt64 = 0
    }

    private let directory: String
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - directory: the directory of blank files, which contains none yet.
    ///   - limit: the maximum number of waiting files.
    init(directory: String, limit: Int) {
        self.directory = directory
        self.limit = limit
    }

    /// The number of waiting files.
    var waitingCount: Int { state.withLock { $0.idle.count } }

    /// Takes a waiting file, or creates a new file, with a descriptor that appends.
    func take() throws(FileFailure) -> (file: PooledOutputFile, writer: Int32) {
        while let file = state.withLock({ $0.idle.popLast() }) {
            if let writer = file.openWriter() { return (file, writer) }
            file.remove()
        }
        return try PooledOutputFile.make(at: nextPath())
    }

    /// A path that no file of this pool has had.
    private func nextPath() -> String {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return "\(directory)/\(PooledOutputFile.namePrefix)\(number)"
    }

    /// Takes a file back if it can serve again.
    ///
    /// - Returns: false if the caller keeps the file.
    func takeBack(_ file: PooledOutputFile) -> Bool { file.isBlankForGood && keep(file) }

    /// Takes a file that no process has open any more, without its content: back if it can serve again, else to remove it.
    ///
    /// - Parameter length: the length of the content.
    func take(_ file: PooledOutputFile, withContentOf length: Int) {
        var file = file
        if length > 0, !file.clear(renamingTo: nextPath()) { return file.remove() }
        if !keep(file) { file.remove() }
    }

    /// - Returns: false if enough files wait.
    private func keep(_ file: PooledOutputFile) -> Bool {
        state.withLock { state in
            guard state.idle.count < limit else { return false }
            state.idle.append(file)
            return true
        }
    }

    /// Removes all waiting files.
    func removeAll() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for file in idle { file.remove() }
    }
}
