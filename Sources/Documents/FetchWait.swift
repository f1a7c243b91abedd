@_spi(Baton) public import BatonOperations

/// The workers on which a file waits that does not come, in a sentence for who wants the file.
@_spi(Baton) public enum FetchWait {
    /// The most workers that are named.
    private static let mostNamed = 3

    /// Says which workers are waited for, and until when; nil if none is, as the answer is about to come then.
    ///
    /// The sentence stays the same as long as the situation does.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - holders: the names of the workers with a copy.
    ///   - workers: all workers.
    ///   - text: the text of a moment.
    public static func sentence(
        for path: String,
        at holders: [String],
        among workers: [WorkersDocument.Worker],
        text: (Timestamp) -> String
    ) -> String? {
        let known = workers.filter { holders.contains($0.worker) && $0.state != .lost && $0.state != .left }
        let present = known.filter { $0.state != .suspect && !$0.absent }
        let awaited = (present.isEmpty ? known : present).sorted { $0.worker < $1.worker }
        guard !awaited.isEmpty else { return nil }
        var names = awaited.prefix(mostNamed).map(\.worker.asShown).joined(separator: ", ")
        if awaited.count > mostNamed { names += " and \(awaited.count - mostNamed) more" }
        guard present.isEmpty else { return "Waiting for \(path.asShown) from \(names)." }
        let isOne = awaited.count == 1
        let (have, are, count) = isOne ? ("has", "is", "it counts") : ("have", "are", "they count")
        let end = awaited.compactMap(\.lostAt).max()
        let until = end.map { ", at most until \(text($0)), when \(count) as lost" } ?? ""
        return "Waiting for \(path.asShown): only \(names) \(have) it, and \(are) silent\(until)."
    }
}
