@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// Reports the effect of a change: a document for scripts, sentences on standard error for people.
struct ChangeOutput {
    private let global: GlobalOptions

    init(_ global: GlobalOptions) {
        self.global = global
    }

    /// Reports the effect of a change to operations or other subjects.
    ///
    /// - Parameters:
    ///   - noun: the word for one of the subjects.
    ///   - unchanged: the sentence for a report without changes and without notes.
    ///   - done: a function from the number of changed subjects (`one operation`, `3 operations`) to a sentence.
    func show(
        _ report: ChangeReport,
        of noun: String = "operation",
        unchanged: String = "Nothing was changed.",
        done: (String) -> String
    ) throws {
        if global.json { return try Output.document(ChangeDocument(report)) }
        tell(report, of: noun, unchanged: unchanged, done: done)
    }

    /// Reports the effect of a cancellation.
    func show(cancellation report: ChangeReport) throws {
        if global.json { return try Output.document(CancelDocument(report)) }
        tell(report, unchanged: "Nothing was left to cancel.") { "Cancelled \($0)." }
    }

    /// The sentences of a report: the changes, the notes about unchanged operations, and the workers without an answer.
    static func sentences(
        of report: ChangeReport,
        noun: String = "operation",
        unchanged: String,
        done: (String) -> String
    ) -> [String] {
        var sentences = report.notes
        if report.changed > 0 {
            sentences.insert(done(report.changed == 1 ? "one \(noun)" : "\(report.changed) \(noun)s"), at: 0)
        } else if report.notes.isEmpty {
            sentences.append(unchanged)
        }
        switch report.unanswered.count {
        case 0: break
        case 1:
            sentences.append(
                "Worker \(report.unanswered[0].asShown) did not answer in time; operations sent to it may still start."
            )
        default:
            let workers = report.unanswered.map(\.asShown)
            let names = workers.dropLast().joined(separator: ", ") + " and \(workers.last ?? "")"
            sentences.append("Workers \(names) did not answer in time; operations sent to them may still start.")
        }
        return sentences
    }

    /// Tells people the effect of a change, on standard error.
    func tell(
        _ report: ChangeReport,
        of noun: String = "operation",
        unchanged: String = "Nothing was changed.",
        done: (String) -> String
    ) {
        guard !global.quiet else { return }
        for sentence in Self.sentences(of: report, noun: noun, unchanged: unchanged, done: done) {
            Output.note(sentence)
        }
    }
}
