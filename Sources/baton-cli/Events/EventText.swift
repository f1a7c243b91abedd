@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// Events as text for people: `12:31:07.412  12/1        executing on w1 (attempt 1)`.
struct EventText {
    /// The maximum width of the subject column; a long subject widens the column.
    private static let widestSubject = 24

    private let style: Style
    private var subjectWidth = 13
    /// The local day of the previous event; the first event gets a date only if its day is not today.
    private var day: String

    /// Creates a formatter for events.
    ///
    /// - Parameter today: the local day at the start of printing.
    init(style: Style, today: String = Timestamp.now.localDay) {
        self.style = style
        self.day = today
    }

    /// The line for an event; a line with the date comes first if the date has changed.
    ///
    /// - Parameter name: the name of the event's operation; nil for none.
    mutating func line(for event: EventDocument, name: String? = nil) -> String {
        guard let time = event.time else { return Self.missed(event) }
        let subject = Self.subject(of: event).printable
        subjectWidth = max(subjectWidth, min(subject.count, Self.widestSubject))
        let gap = String(repeating: " ", count: max(0, subjectWidth - subject.count))
        let (words, tone) = Self.predicate(of: event)
        let text = ((name.map { "\($0.asShown) " } ?? "") + words + ((event.by ?? nil).map { " (by \($0))" } ?? ""))
            .printable
        let line = "\(time.localClock)  \(subject)\(gap)  \(tone.map { style.apply($0, to: text) } ?? text)"
        guard time.localDay != day else { return line }
        day = time.localDay
        return day + "\n" + line
    }

    private static func missed(_ event: EventDocument) -> String {
        event.count == 1
            ? "Event \(event.seq) was missed: it is no longer kept."
            : "\(event.count ?? 0) events were missed, up to number \(event.seq): they are no longer kept."
    }

    private static func subject(of event: EventDocument) -> String {
        if let operation = event.operation { return operation.description }
        if let job = event.job { return "job \(job)" }
        if let queue = event.queue { return "queue \(queue.asShown)" }
        if let limit = event.limit { return "limit \(limit.asShown)" }
        if let schedule = event.schedule { return "schedule \(schedule.asShown)" }
        return event.worker.map { "worker \($0.asShown)" } ?? event.event
    }

    private static func predicate(of event: EventDocument) -> (String, Style.Tone?) {
        if event.operation != nil { return operationPredicate(of: event) }
        if let counts = event.counts {
            return ("finished: \(counts.brief)", .of(.finished, isSuccess: event.outcome == .succeeded))
        }
        if let operations = event.operations {
            return ("submitted with \(operations == 1 ? "one operation" : "\(operations) operations")", nil)
        }
        if let added = event.added, let first = event.first {
            return (added == 1 ? "operation \(first) added" : "\(added) operations added, from \(first) on", nil)
        }
        if event.queue != nil { return queuePredicate(of: event) }
        if event.limit != nil {
            return (event.units.map { $0 == 1 ? "1 unit" : "\($0) units" } ?? "removed", nil)
        }
        if let seconds = event.steppedSeconds {
            let time = Duration.milliseconds(Int64(min(seconds.magnitude, 1e12) * 1000)).text
            return ("of the coordinator's host set \(seconds < 0 ? "back" : "forward") by \(time)", .warning)
        }
        if let request = event.request {
            return request == WorkerRequest.forget.word ? ("forgotten", nil) : ("\(request) requested", .warning)
        }
        if let commits = event.lostCommits {
            let lost = [(commits, "commit"), (event.lostJobs ?? 0, "job")].filter { $0.0 > 0 }
            let counts = lost.map { count, noun in "\(count) \(noun)\(count == 1 ? "" : "s")" }
            return (counts.isEmpty ? "incomplete" : "incomplete: lost \(counts.joined(separator: " and "))", .bad)
        }
        let state = event.state ?? ""
        let tones: [String: Style.Tone] = ["alive": .good, "suspect": .warning, "draining": .warning, "lost": .bad]
        return (state, tones[state])
    }

    private static func operationPredicate(of event: EventDocument) -> (String, Style.Tone?) {
        if let word = event.state {
            let state = OperationState.allCases.first { $0.description == word }
            let attempt = event.attempt ?? 0
            var words = word + (event.outcome.map { ": \($0)" } ?? "")
            if state == .executing || state == .finished {
                if let worker = event.worker { words += " on \(worker.asShown)" }
                if attempt > 0 { words += " (attempt \(attempt))" }
            } else if attempt > 0 {
                words += " (after attempt \(attempt))"
            }
            return (words, state.flatMap { .of($0, event.outcome) })
        }
        if let progress = event.progress {
            return ([progress.percentage, event.message].compactMap { $0 }.joined(separator: " "), nil)
        }
        if let held = event.held { return (held ? "held" : "released", nil) }
        if let paused = event.paused { return (paused ? "paused" : "continued", nil) }
        if let signal = event.signal { return ("signal \(signal) sent", nil) }
        if let priority = event.priority { return ("priority \(priority)", nil) }
        if event.cancelled != nil { return ("cancellation requested", .warning) }
        if event.commands != nil { return ("command added", nil) }
        return (event.dependencies == nil ? "changed" : "dependencies changed", nil)
    }

    private static func queuePredicate(of event: EventDocument) -> (String, Style.Tone?) {
        if event.deleted != nil { return ("deleted", nil) }
        let facts = [
            (event.maxConcurrent ?? nil).map { "limit \($0)" } ?? "no limit", (event.qos ?? nil).map { "class \($0)" },
            (event.total ?? nil).map { "total \($0)" }, event.rate.map { "rate \($0)" },
            event.suspended == true ? "suspended" : nil,
        ]
        return (facts.compactMap { $0 }.joined(separator: ", "), event.suspended == true ? .warning : nil)
    }
}
