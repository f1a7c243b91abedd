@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The failures of a job as text for people.
struct FailureText {
    let document: FailuresDocument
    /// The most lines of standard error that a group shows.
    var mostLines = 10
    /// The width for lists of addresses.
    var width = 80
    /// Whether the job has been retried already, so that another retry needs `--again` (D11).
    var isRetried = false

    /// A sentence about the whole, and each group with its number and the command that retries it.
    var numberedLines: [String] {
        var lines = [summary]
        for group in document.failures {
            lines += [""] + self.lines(of: group)
            if document.state == .finished {
                let again = isRetried ? " --again" : ""
                lines.append("   Retry: baton retry \(document.job) --group \(group.group)\(again)")
            }
        }
        if !isRetried, document.state == .finished, document.failures.count + document.more > 1 {
            lines += ["", "After one retry of job \(document.job), the next one needs --again."]
        }
        return lines
    }

    /// A group with its number: what happened, to which operations, and the end of standard error.
    func lines(of group: FailuresDocument.Group) -> [String] {
        var lines = ["\(group.group). \(headline(of: group))", "   " + addresses(of: group, width: width - 3)]
        lines += standardError(of: group).map { "     \($0)" }
        if let advice = Advice.about(group.reason, on: nil) { lines.append("   " + advice) }
        return lines
    }

    /// Each group in short form: the operation or the first operations, what happened, and the end of standard error.
    var shortLines: [String] {
        document.failures.flatMap { group in
            var lines: [String] = []
            if group.count == 1, let operation = group.operations.first {
                // The item of an element is often not its index, and tells more.
                let name = group.names.first.flatMap { $0 }.map(\.asShown)
                let item = group.items.first.flatMap { $0 }.map { "item \($0.asShown.printable)" }
                let facts = [name, item].compactMap { $0 }
                let label = facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
                lines.append("\(operation)\(label): \(group.message?.printable ?? "It failed.")")
            } else {
                lines.append(headline(of: group) + ":")
                lines.append("  " + addresses(of: group, width: width - 2))
            }
            return lines + standardError(of: group).map { "    \($0)" }
        }
    }

    /// How many operations failed, in how many ways, and how many were skipped for it.
    private var summary: String {
        let groups = document.failures.count + document.more
        let name = document.name.map { " (\($0.asShown))" } ?? ""
        let counts = document.counts
        var text = "\(counts.failed) of \(counts.total) operations of job \(document.job)\(name) failed"
        text += counts.failed > 1 ? (groups == 1 ? ", all alike." : " in \(groups) ways.") : "."
        let skipped = counts.skipped - counts.notNeeded
        if skipped > 0 { text += " \(skipped) more \(skipped == 1 ? "was" : "were") skipped." }
        if document.state != .finished { text += " The job is not finished." }
        return text
    }

    /// The first line of a group: the number of operations, and the way in which they failed.
    private func headline(of group: FailuresDocument.Group) -> String {
        let isOne = group.count == 1
        let was = isOne ? "was" : "were"
        let event: String? =
            switch group.reason {
            case .exit: group.exitStatus.map { "exited with status \($0)" }
            case .signal: group.signal.map { "\(was) ended by signal \(SignalName.text(of: $0))" }
            case .timeout: "ran longer than \(isOne ? "its" : "their") timeout"
            case .memory: "used more memory than \(isOne ? "it" : "they") may"
            case .lost: "\(was) lost with \(isOne ? "its worker" : "their workers")"
            case .launch: "could not be started"
            case .result: "left a result that cannot be used"
            case .files: "left files that cannot be kept"
            case .input: "need\(isOne ? "s" : "") files that are lost"
            case .error: "threw an error"
            case .deadline: "had not ended by \(isOne ? "its" : "their") deadline"
            case .dependency, .notNeeded, .cancelled, .reused, .sent: nil
            }
        let text = "\(group.count) operation\(isOne ? "" : "s") \(event ?? "failed")"
        // A status, a signal or a deadline says everything.
        guard group.reason != .exit, group.reason != .signal, group.reason != .deadline,
            let message = group.message?.printable
        else {
            return text
        }
        // The message says the same once more, and has the limit.
        let known = "It ran longer than its timeout"
        if group.reason == .timeout, message.hasPrefix(known) {
            return text + Self.withoutStop(message.dropFirst(known.count))
        }
        let memory = "It used more memory than the "
        let end = " that it asked for."
        if group.reason == .memory, message.hasPrefix(memory), message.hasSuffix(end) {
            let limit = message.dropFirst(memory.count).dropLast(end.count)
            return "\(group.count) operation\(isOne ? "" : "s") used more memory than the \(limit) that "
                + "\(isOne ? "it" : "each") asked for"
        }
        return "\(text): \(Self.withoutStop(message[...]))"
    }

    /// A sentence without its full stop, since more follows in the line.
    private static func withoutStop(_ sentence: Substring) -> Substring {
        sentence.hasSuffix(".") ? sentence.dropLast() : sentence
    }

    /// The first addresses with their items or names, as many as fit, and how many more there are.
    private func addresses(of group: FailuresDocument.Group, width: Int) -> String {
        var text = ""
        var shown = 0
        for position in group.operations.indices {
            let id = group.operations[position]
            let item = group.items.indices.contains(position) ? group.items[position] : nil
            let name = group.names.indices.contains(position) ? group.names[position] : nil
            // An item that equals the index adds nothing.
            let label = item == "\(id.index)" ? nil : item ?? name
            let address = "\(id)" + (label.map { " (\(TextWidth.shortened($0.asShown.printable, to: 24)))" } ?? "")
            let longer = text + (shown == 0 ? "" : ", ") + address
            let rest = group.count - shown - 1
            let line = rest == 0 ? longer : "\(longer) and \(rest) more"
            guard shown == 0 || TextWidth.columns(of: line) <= width else { break }
            text = longer
            shown += 1
        }
        return shown < group.count ? "\(text) and \(group.count - shown) more" : text
    }

    /// The last lines of the first operation's standard error.
    private func standardError(of group: FailuresDocument.Group) -> [String] {
        guard let text = group.stderr else { return [] }
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        while lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
        return lines.suffix(mostLines).map { String($0).printable }
    }
}
