@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// A schedule in words.
struct ScheduleText {
    private let document: ScheduleDocument

    init(_ document: ScheduleDocument) {
        self.document = document
    }

    /// Whether the schedule has times to come.
    var isActive: Bool { !document.next.isEmpty }

    /// What the schedule does.
    var state: String {
        if document.paused { return "paused" }
        return isActive ? "active" : "without times"
    }

    /// The lines of `schedule show`.
    var lines: String {
        var lines = KeyValueLines()
        lines.append("schedule", document.schedule)
        lines.append("state", state)
        lines.append("times", "\(document.cron) (\(document.timeZone))")
        lines.append("overlap", document.overlap.description)
        lines.append("catch-up", document.catchUp.description)
        lines.append("next", Self.text(of: document.next))
        lines.append("waiting", Self.text(of: document.waiting))
        if let job = document.lastJob, let time = document.lastTime {
            lines.append("last job", "\(job), of \(time.localText)")
        }
        if let time = document.skippedTime, let reason = document.skipReason {
            lines.append("last skip", "\(time.localText): \(sentence(of: reason))")
        }
        lines.append("added", document.addedAt.localText + (document.addedBy.map { " by \($0)" } ?? ""))
        return lines.text
    }

    private func sentence(of reason: ScheduleSkip.Reason) -> String {
        switch reason {
        case .overlap: "The last job went on."
        case .missed: "Nobody could start it in time."
        case .refused: document.skipMessage ?? "The job was refused."
        }
    }

    /// Times in a line; nil for none.
    private static func text(of times: [Timestamp]) -> String? {
        times.isEmpty ? nil : times.map(\.localText).joined(separator: ", ")
    }
}
