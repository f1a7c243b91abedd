@_spi(Baton) import BatonOperations
import Synchronization

/// Fetches files into a directory, several at a time.
@_spi(Baton) public final class FetchRun: Sendable {
    /// The number of files that are fetched at once: small ones would otherwise wait for each other's answers, and a few large ones take
    /// all that the coordinator passes to clients at a time.
    private static let filesAtOnce = 4

    private struct State {
        /// The bytes that have come.
        var bytes: Int64 = 0
        /// The files that are there as a whole.
        var files = 0
        /// The places of the fetches that are under way.
        var unfinished: Set<Int> = []
        /// Why a file is missing, by the place of its fetch.
        var missing: [Int: String] = [:]
    }

    private let fetches: [FileFetch]
    private let directory: FetchDirectory
    private let channel: any RequestChannel
    private let timeout: Duration?
    private let state = Mutex(State())

    /// Describes a run.
    ///
    /// - Parameters:
    ///   - fetches: the files, no two of them at one place.
    ///   - directory: the directory.
    ///   - channel: the way to the coordinator.
    ///   - timeout: how long each answer may take; nil without a limit.
    public init(
        _ fetches: [FileFetch],
        into directory: FetchDirectory,
        over channel: any RequestChannel,
        timeout: Duration? = nil
    ) {
        self.fetches = fetches
        self.directory = directory
        self.channel = channel
        self.timeout = timeout
    }

    /// The bytes and the files that have come so far.
    public var progress: (bytes: Int64, files: Int) { state.withLock { ($0.bytes, $0.files) } }

    /// The first of the files that are on their way; nil without one.
    public var unfinished: FileFetch? { state.withLock { $0.unfinished.min() }.map { fetches[$0] } }

    /// Why files are missing, in sentences, by the places of their fetches.
    public var missing: [Int: String] { state.withLock { $0.missing } }

    /// Fetches all files that can be had; ``missing`` tells of the others.
    ///
    /// - Throws: `ClientError`, ``FetchError`` if the directory cannot take the files, and `CancellationError` if the task is cancelled. No
    ///   part of a file is left then.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, fetch) in fetches.enumerated() {
                if place >= Self.filesAtOnce { _ = try await group.next() }
                group.addTask { try await self.run(fetch, at: place) }
            }
            try await group.waitForAll()
        }
    }

    private func run(_ fetch: FileFetch, at place: Int) async throws {
        state.withLock { _ = $0.unfinished.insert(place) }
        defer { state.withLock { _ = $0.unfinished.remove(place) } }
        do {
            try await fetch.run(into: directory, over: channel, timeout: timeout) { count in
                self.state.withLock { $0.bytes += Int64(count) }
            }
            state.withLock { $0.files += 1 }
        } catch let error as ClientError where error.isAboutOneFile {
            let file = fetch.file.path.asShown
            let isNamed = error.message.contains(file)
            let subject = isNamed ? "" : "The file \"\(file)\" of \(fetch.operation) is missing. "
            note(subject + error.message, at: place)
        } catch let error as FetchError where error.code == .damaged {
            note(error.message, at: place)
        }
    }

    private func note(_ missing: String, at place: Int) { state.withLock { $0.missing[place] = missing } }
}

extension ClientError {
    /// Whether the error is about the requested file alone: its bytes cannot be fetched now, or at all.
    fileprivate var isAboutOneFile: Bool {
        if let refusal { return refusal.code == .unavailable || refusal.code == .notFound }
        // The operation has run again meanwhile, and has left another file.
        return code == .malformedReply
    }
}
