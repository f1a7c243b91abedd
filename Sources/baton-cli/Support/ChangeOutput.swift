import BatonDocuments
import BatonOperations

/// Tells what a change did: a document for scripts, sentences on standard error for people.
struct ChangeOutput {
    private let global: GlobalOptions

    init(_ global: GlobalOptions) {
        self.global = global
    }

    /// Tells what a change of operations did.
    ///
    /// - Parameters:
    ///   - unchanged: what is said where nothing was changed and the report does not say why.
    ///   - done: makes a sentence out of how much was changed: `one operation`, `3 operations`.
    func show(
        _ report: ChangeReport,
        unchanged: String = "Nothing was changed.",
        done: (String) -> String
    ) throws {
        if global.json { return try Output.document(ChangeDocument(report)) }
        tell(report, unchanged: unchanged, done: done)
    }

    /// Tells what a cancellation did.
    func show(cancellation report: ChangeReport) throws {
        if global.json { return try Output.document(CancelDocument(report)) }
        tell(report, unchanged: "Nothing was left to cancel.") { "Cancelled \($0)." }
    }

    /// The sentences, one a line: what was changed, what was not and why, and who did not answer.
    static func sentences(of report: ChangeReport, unchanged: String, done: (String) -> String) -> [String] {
        var sentences = report.notes
        if report.changed > 0 {
            sentences.insert(done(report.changed == 1 ? "one operation" : "\(report.changed) operations"), at: 0)
        } else if report.notes.isEmpty {
            sentences.append(unchanged)
        }
        switch report.unanswered.count {
        case 0: break
        case 1:
            sentences.append(
                "Worker \(report.unanswered[0].asShown) did not answer in time; what it was sent may yet start."
            )
        default:
            let workers = report.unanswered.map(\.asShown)
            let names = workers.dropLast().joined(separator: ", ") + " and \(workers.last ?? "")"
            sentences.append("Workers \(names) did not answer in time; what they were sent may yet start.")
        }
        return sentences
    }

    private func tell(_ report: ChangeReport, unchanged: String, done: (String) -> String) {
        guard !global.quiet else { return }
        for sentence in Self.sentences(of: report, unchanged: unchanged, done: done) { Output.note(sentence) }
    }
}
