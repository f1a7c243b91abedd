@_spi(Baton) import BatonInvariants

/// Limits the open questions to the record for clients, since the record answers questions in order.
///
/// Only a few questions are open at a time, and only one long question, so that a client waits for no more than these. A question
/// about all of a job has a reader of its own, and only another such question waits for it.
///
/// Owns the numbers of questions of each length that are open.
struct OpenReadings {
    /// How long the record may take for a client's question.
    enum Length: Sendable {
        /// About as long as for one operation.
        case short
        /// Longer, or unknown, and as long as for a page at most.
        case long
        /// As long as for all operations of a job.
        case wholeJob
    }

    /// The most short questions that may be open at a time.
    private static let mostShort = 16

    private var short = 0
    private var long = 0
    private var wholeJob = 0

    /// Whether another question may be asked.
    func hasRoom(for length: Length) -> Bool {
        switch length {
        case .short: short < Self.mostShort
        case .long: long == 0
        case .wholeJob: wholeJob == 0
        }
    }

    /// Notes a question to the record.
    mutating func begin(_ length: Length) {
        switch length {
        case .short: short += 1
        case .long: long += 1
        case .wholeJob: wholeJob += 1
        }
    }

    /// Notes an answer from the record.
    mutating func end(_ length: Length) {
        switch length {
        case .short: short -= 1
        case .long: long -= 1
        case .wholeJob: wholeJob -= 1
        }
        invariant(short >= 0 && long >= 0 && wholeJob >= 0, "The record answers more questions than are open.")
    }
}
