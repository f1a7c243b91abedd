@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// Operations as text for people.
enum OperationText {
    /// All facts about an operation, one per line.
    ///
    /// - Parameter present: the present time by the coordinator's clock.
    static func lines(of operation: OperationDocument, at present: Timestamp) -> String {
        var lines = KeyValueLines()
        lines.append("operation", operation.operation.description)
        lines.append("name", operation.name)
        lines.append("queue", operation.queue)
        lines.append("state", state(of: operation))
        lines.append("stopped", operation.stop.map { "by \($0.name) since \($0.since.localText)" })
        lines.append("paused", operation.paused.map { Self.text(of: $0, operation.operation) })
        lines.append("cancelled", operation.cancelled ? "yes" : nil)
        lines.append("reason", operation.message ?? operation.reason?.rawValue)
        lines.append("because of", operation.skippedBecauseOf.map { "\($0)" })
        lines.append("exit status", operation.exitStatus.map(String.init))
        lines.append("signal", operation.signal.map(String.init))
        lines.append("held", operation.held ? "yes, until \"baton release \(operation.operation)\"" : nil)
        lines.append("progress", progress(of: operation))
        lines.append("priority", operation.priority.description)
        for command in commands(of: operation) { lines.append("command", commandLine(command)) }
        lines.append("type", operation.type)
        lines.append("argument", operation.argument)
        lines.append("index", operation.index.map(String.init))
        lines.append("item", operation.item)
        for (label, text) in settings(of: operation) { lines.append(label, text) }
        append(operation.hook, as: "hook", to: &lines)
        for dependency in operation.dependencies {
            lines.append(word(for: dependency.condition), dependency.operation)
        }
        lines.append("attempts", operation.attempt == 0 ? nil : "\(operation.attempt)")
        for attempt in operation.attempts ?? [] { lines.append("attempt \(attempt.attempt)", text(of: attempt)) }
        let isBetweenAttempts = operation.state == .pending || operation.state == .ready
        lines.append(
            isBetweenAttempts ? "next attempt" : "last attempt",
            limits(memory: operation.memory, timeout: operation.timeout)
        )
        lines.append("losses", operation.losses == 0 ? nil : "\(operation.losses)")
        lines.append("worker", operation.worker)
        lines.append("submitted", operation.submittedAt.localText)
        lines.append("ready", operation.readyAt?.localText)
        lines.append("started", operation.startedAt?.localText)
        lines.append("finished", operation.finishedAt?.localText)
        lines.append("time", time(of: operation, at: present))
        lines.append("cpu time", operation.cpuSeconds.map { Duration.seconds($0).roughText })
        lines.append("peak memory", operation.peakMemory.map { ByteSize.roughText(of: $0) })
        lines.append("files", operation.files.map { text(of: $0, operation) })
        lines.append("result", operation.hasResult ? "see \"baton result \(operation.operation)\"" : nil)
        return lines.text
    }

    /// For example `3, 1.2G, 2 copies; see "baton files 12/3"`.
    ///
    /// The copies are there only if the operation wants several, or not each file has exactly one.
    private static func text(of files: FileTotals, _ operation: OperationDocument) -> String {
        let option = OptionDeclarations.shared.copies.option
        let wantsOne = operation.settings[option.key] == SettingsDocument.Value(option.defaultValue, of: option)
        var facts = ["\(files.count)", ByteSize.roughText(of: files.bytes)]
        if let copies = files.copies, copies != 1 || !wantsOne {
            facts.append(copies == 1 ? "1 copy" : copies == 0 ? "not all with a copy" : "\(copies) copies")
        }
        return "\(facts.joined(separator: ", ")); see \"baton files \(operation.operation)\""
    }

    /// The commands as they run, as far as the document tells.
    private static func commands(of operation: OperationDocument) -> [[String]] {
        if let filled = operation.filledCommands { return filled }
        if let command = operation.command { return [command] }
        return operation.commands ?? []
    }

    /// The times, the worker and the end of an earlier attempt.
    ///
    /// For example `2026-11-21 04:04:05, 1.2s, w1: It exited with status 3.`
    private static func text(of attempt: AttemptDocument) -> String {
        let times = attempt.startedAt.map { [$0.localText, (attempt.endedAt - $0).roughText] }
        let limits = limits(memory: attempt.memory, timeout: attempt.timeout)
        let facts =
            (times ?? ["ended " + attempt.endedAt.localText]) + [attempt.worker?.asShown, limits].compactMap { $0 }
        return facts.joined(separator: ", ") + ": " + attempt.message
    }

    /// What an attempt may use, such as `at most 4G, 2h`; nil unless that is part of a range.
    private static func limits(memory: Int64?, timeout: String?) -> String? {
        let limits = [memory.map { ByteSize.text(of: $0) }, timeout].compactMap { $0 }
        return limits.isEmpty ? nil : "at most \(limits.joined(separator: ", "))"
    }

    /// Appends the state, the end and the worker of a completion hook, and what it printed as errors at last.
    ///
    /// For example `failed, 2026-11-21 04:04:05, 1.2s, w1: It exited with status 3.`
    static func append(_ hook: HookDocument?, as label: String, to lines: inout KeyValueLines) {
        guard let hook else { return }
        var facts = [hook.state.rawValue]
        if let end = hook.finishedAt { facts.append(end.localText) }
        if let start = hook.startedAt, let end = hook.finishedAt { facts.append((end - start).roughText) }
        if let worker = hook.worker { facts.append(worker.asShown) }
        if let stop = hook.stop { facts.append("stopped by \(stop.name) since \(stop.since.localText)") }
        lines.append(label, facts.joined(separator: ", ") + (hook.message.map { ": " + $0 } ?? ""))
        for line in (hook.stderr ?? "").split(separator: "\n") { lines.append("\(label) stderr", String(line).asShown) }
    }

    /// A line for each option with a value other than the default.
    ///
    /// The priority and the hold have lines of their own, because both can change after the submission.
    private static func settings(of operation: OperationDocument) -> [(label: String, text: String)] {
        let options = OperationOption.all.filter { !["priority", "hold"].contains($0.key) && !$0.isRangeEnd }
        return options.compactMap { option in
            guard let value = operation.settings[option.key],
                value != SettingsDocument.Value(option.defaultValue, of: option)
            else { return nil }
            var words = text(of: value, option.form)
            if let end = option.rangeEnd, let last = operation.settings[end.key] {
                words += OptionRange.separator + text(of: last, end.form)
            }
            return (option.name.replacing("-", with: " "), words)
        }
    }

    /// The value of an option in words.
    private static func text(of value: SettingsDocument.Value, _ form: OptionForm) -> String {
        switch value {
        case .flag(let flag): flag ? "yes" : "no"
        case .number(let number): form == .size ? ByteSize.text(of: number) : String(number)
        case .thousandths(let number): Thousandths.text(of: number)
        case .amounts(let amounts): OptionValue.amounts(amounts).description
        case .places(let places): OptionValue.places(places).description
        case .text(let text): text
        case .texts(let texts): form == .command ? commandLine(texts) : texts.joined(separator: ", ")
        }
    }

    /// The outcome of a finished operation, otherwise the state.
    static func state(of operation: OperationDocument) -> String {
        switch operation.reason {
        case .notNeeded: "not needed"
        case .reused: "reused"
        case .sent: "sent"
        default: operation.outcome?.description ?? operation.state.description
        }
    }

    /// A line about an operation or a completion hook whose process is stopped.
    static func line(about stopped: StoppedOperation) -> String {
        let place = stopped.worker.map { " on \($0.asShown)" } ?? ""
        let since = stopped.stop.since.localText
        let subject =
            stopped.hook == true
            ? "the hook of \(stopped.operation.hookSubject)" : "operation \(stopped.operation)"
        return "\(subject)\(place) is stopped by \(stopped.stop.name) since \(since)"
    }

    /// A line about an operation that is paused.
    static func line(about paused: PausedOperation) -> String {
        "operation \(paused.operation) is paused \(text(of: paused.paused, paused.operation))."
    }

    /// For example `by laptop since 2026-11-21 04:04:05, until "baton resume 12/1"`.
    private static func text(of pause: PauseDocument, _ operation: OperationID) -> String {
        let by = pause.by.map { "by \($0.asShown) " } ?? ""
        return "\(by)since \(pause.since.localText), until \"baton resume \(operation)\""
    }

    /// A short note on the operation.
    static func note(on operation: OperationDocument) -> String {
        operation.paused.map { "paused\($0.byWhom)" } ?? operation.stop.map { "stopped by \($0.name)" }
            ?? operation.message ?? progress(of: operation)
            ?? (operation.state == .finished
                ? ""
                : [operation.held ? "held" : nil, operation.barrier ? "barrier" : nil].compactMap { $0 }.joined(
                    separator: ", "
                ))
    }

    /// The progress reported during execution: `25% half of the pictures`.
    private static func progress(of operation: OperationDocument) -> String? {
        guard operation.state == .executing, operation.progress > 0 || operation.progressMessage != nil else {
            return nil
        }
        return [operation.progress.percentage, operation.progressMessage].compactMap { $0 }.joined(separator: " ")
    }

    /// The duration of the last attempt, or the time so far.
    ///
    /// - Parameter present: the present time by the coordinator's clock.
    static func time(of operation: OperationDocument, at present: Timestamp) -> String? {
        guard let start = operation.startedAt else { return nil }
        if operation.state == .executing { return (present - start).roughText }
        return operation.finishedAt.map { ($0 - start).roughText }
    }

    private static func word(for condition: DependencyCondition) -> String {
        switch condition {
        case .any: "after"
        case .success: "needs"
        case .failure: "on failure"
        case .failureOfAll: "on failure of all"
        }
    }

    /// A command in the notation of a shell.
    static func commandLine(_ command: [String]) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%{}")
        return command.map { argument in
            !argument.isEmpty && argument.allSatisfy(plain.contains)
                ? argument
                : "'" + argument.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
                    + "'"
        }.joined(separator: " ")
    }
}
