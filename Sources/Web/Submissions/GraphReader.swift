@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the graphs that are submitted, large ones one at a time on a thread of their own.
///
/// A graph of 50 MB takes seconds and some hundred megabytes as objects. So no more than one of them is in memory, and all other
/// requests go on meanwhile.
final class GraphReader: Sendable {
    /// Makes a submission of the bytes of a graph file; blocks as long as it takes.
    typealias Reading = @Sendable ([UInt8]) throws(WebRefusal) -> Submission

    /// The most bytes of a graph that is read at once.
    static let mostSmallBytes = 256 << 10
    /// The maximum number of large graphs that wait for their turn.
    static let mostWaiting = 8

    /// The turns of large graphs.
    let turns = Turns(mostWaiting: mostWaiting)
    private let thread = ThreadExecutor(named: "submissions")
    private let read: Reading

    /// Makes a reader that reads nothing yet.
    init(_ read: @escaping Reading = GraphReader.submission) {
        self.read = read
    }

    /// Reads a graph, and passes the submission to a closure, which has it for itself: no other large one is in memory.
    ///
    /// - Parameters:
    ///   - isScheduled: whether a schedule is to submit the graph.
    ///   - body: submits it; what it does is part of the turn and runs on the thread, since a large submission also takes
    ///     long to encode.
    /// - Throws: the refusal of a graph, one with 503 if too many large ones wait, or what the closure throws.
    func withSubmission<Value: Sendable>(
        from bytes: [UInt8],
        isScheduled: Bool = false,
        _ body: (Submission) async throws(WebRefusal) -> Value
    ) async throws(WebRefusal) -> Value {
        let read: Reading = isScheduled ? GraphReader.scheduledSubmission : self.read
        guard bytes.count > Self.mostSmallBytes else { return try await body(try read(bytes)) }
        switch await turns.begin() {
        case .begun: break
        case .refused:
            throw WebRefusal(
                503,
                "unavailable",
                "\(Self.mostWaiting) other large graphs wait to be read. Try again later.",
                headers: ["Retry-After": "10"]
            )
        case .cancelled: throw .clientLeft
        }
        defer { turns.end() }
        return try await withTaskExecutorPreference(thread) { () async throws(WebRefusal) in
            try await body(try read(bytes))
        }
    }

    /// Reads a graph file that has no other files beside it.
    private static func submission(from bytes: [UInt8]) throws(WebRefusal) -> Submission {
        // Whoever sends a request may be in another zone, so a time needs its offset from UTC.
        let now = Timestamp(rawValue: Int64(Date().timeIntervalSince1970 * 1_000_000))
        return try graph(in: bytes, at: PresentTime(now, offset: nil))
    }

    /// Reads a graph file for a schedule: a time of day or a date would be that of the first job alone, and is refused.
    private static func scheduledSubmission(from bytes: [UInt8]) throws(WebRefusal) -> Submission {
        try graph(in: bytes, at: nil)
    }

    private static func graph(in bytes: [UInt8], at present: PresentTime?) throws(WebRefusal) -> Submission {
        let options = GraphFileOptions(fileName: "body", present: present) { path throws(Refusal) in
            throw Refusal(
                .invalid,
                "a submission over HTTP cannot read the file \(path.asShown); give its lines as items"
            )
        }
        do throws(GraphFileError) {
            return try GraphFile.submission(from: bytes, options: options)
        } catch {
            throw WebRefusal(error.refusal)
        }
    }
}
