import Synchronization

/// The lines of make that share a connection, each of which learns that an answer of the coordinator is late.
final class LineDelays: Sendable {
    private let answers = Mutex<[ObjectIdentifier: LateAnswer]>([:])

    /// Tells a line from now on.
    func begin(_ answer: LateAnswer) { answers.withLock { $0[ObjectIdentifier(answer)] = answer } }

    /// Tells a line no longer.
    func end(_ answer: LateAnswer) { answers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(answer)) } }

    /// Notes that an answer is late, or that the coordinator is away.
    func note() {
        for answer in answers.withLock({ Array($0.values) }) { answer.noteDelay() }
    }
}
