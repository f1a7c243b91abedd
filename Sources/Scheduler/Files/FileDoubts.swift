@_spi(Baton) import BatonOperations

/// The copies that have come damaged at other workers, and do not count before their own workers have looked at them (FI8), and the
/// copies that count although an attempt came back for want of them, because nothing of them was sent.
struct FileDoubts: Sendable {
    /// What becomes of a copy that an attempt came back for want of.
    enum Judgement: Sendable {
        /// It counts on.
        case counts
        /// It counts on, and its worker looks at it.
        case isToBeSeen
        /// It counts as lost.
        case isLost
    }

    /// What was asked about a copy that counts.
    private struct Question {
        /// The last attempt that was sent before the question.
        var last: RecordToken
        /// How often it was asked.
        var count = 1
    }

    /// How often a worker is asked about a copy that attempts come back for want of, before the copy counts as lost.
    static let mostQuestions = 3

    private var digests: [WorkerIndex: Set<ContentDigest>] = [:]
    private var questions: [WorkerIndex: [ContentDigest: Question]] = [:]

    /// Judges a worker's copy of a content for want of which an attempt came back, although no part of the copy was sent.
    ///
    /// The attempt may have asked before there was the copy. Only attempts that were sent after the last question tell more of it.
    ///
    /// - Parameter last: the last attempt that was sent to any worker.
    mutating func judge(
        _ digest: ContentDigest,
        at worker: WorkerIndex,
        wantedBy attempt: RecordToken,
        sentUntil last: RecordToken
    ) -> Judgement {
        guard var question = questions[worker]?[digest] else {
            questions[worker, default: [:]][digest] = Question(last: last)
            return .isToBeSeen
        }
        guard question.last < attempt else { return .counts }
        guard question.count < Self.mostQuestions else { return .isLost }
        question.last = last
        question.count += 1
        questions[worker]?[digest] = question
        return .isToBeSeen
    }

    /// Notes that a worker's copies of contents have come damaged elsewhere.
    mutating func insert(_ doubted: [ContentDigest], at worker: WorkerIndex) {
        forgetQuestions(about: doubted, to: worker)
        digests[worker, default: []].formUnion(doubted)
    }

    /// Those of some contents of which a worker's copies are in doubt.
    func contents(at worker: WorkerIndex, among named: [ContentDigest]) -> Set<ContentDigest> {
        guard !digests.isEmpty, let known = digests[worker] else { return [] }
        return known.intersection(named)
    }

    /// Whether a worker's copy of a content is in doubt.
    func contain(_ digest: ContentDigest, at worker: WorkerIndex) -> Bool {
        !digests.isEmpty && digests[worker]?.contains(digest) ?? false
    }

    /// Notes that a worker has looked at its copies of contents, or has none.
    mutating func remove(_ seen: some Sequence<ContentDigest>, at worker: WorkerIndex) {
        forgetQuestions(about: seen, to: worker)
        guard !digests.isEmpty, digests[worker] != nil else { return }
        digests[worker]?.subtract(seen)
        if digests[worker]?.isEmpty == true { digests[worker] = nil }
    }

    /// Notes that whatever a worker had is gone for good.
    mutating func removeAll(at worker: WorkerIndex) {
        digests[worker] = nil
        questions[worker] = nil
    }

    private mutating func forgetQuestions(about known: some Sequence<ContentDigest>, to worker: WorkerIndex) {
        guard !questions.isEmpty, questions[worker] != nil else { return }
        for digest in known { questions[worker]?[digest] = nil }
        if questions[worker]?.isEmpty == true { questions[worker] = nil }
    }
}
