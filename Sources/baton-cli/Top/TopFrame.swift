@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// One frame of `baton top`: lines that fit the terminal's width, and its height if the output is a terminal.
struct TopFrame {
    /// The most reasons for which operations of a job wait that are shown.
    private static let mostReasons = 5

    let state: TopState
    let width: Int
    /// The number of lines; nil shows everything.
    let height: Int?
    let style: Style
    /// The time since the start of the command.
    let time: Duration
    /// Whether the user can press keys.
    var hasKeys = false

    /// The lines of the frame, none wider than the width.
    var lines: [String] {
        let top = [title] + banners
        let keys = state.open == nil ? overviewKeys : "Esc back   q quit"
        let bottom = hasKeys ? [style.apply(.faint, to: fitted(keys))] : []
        let room = height.map { max(0, $0 - top.count - bottom.count) }
        var middle = state.open.map { jobLines($0) } ?? overviewLines(room: room)
        if let room {
            middle = Array(middle.prefix(room))
            if hasKeys { middle += Array(repeating: "", count: room - middle.count) }
        }
        return Array((top + middle + bottom).prefix(height ?? .max))
    }

    private var overview: OverviewDocument { state.overview }

    private var overviewKeys: String {
        overview.jobs.isEmpty ? "q quit" : "q quit   arrows choose a job   Enter shows it"
    }

    // MARK: - Head

    private var title: String {
        let up = Duration.seconds(overview.uptimeSeconds).roughText
        let left = "baton top  \(overview.coordinator.asShown)  up \(up)"
        let clock = overview.time.localText.split(separator: " ").last.map(String.init) ?? ""
        let gap = width - TextWidth.columns(of: left) - clock.count
        return style.apply(.strong, to: fitted(gap >= 2 ? left + String(repeating: " ", count: gap) + clock : left))
    }

    /// What needs somebody now.
    private var banners: [String] {
        var lines: [String] = []
        if time - state.receivedAt > TopState.staleAfter {
            let age = Duration.seconds((time - state.receivedAt).components.seconds)
            let text = "STALE: the coordinator has not answered for \(Self.seconds(age)); waiting for its return."
            lines.append(style.apply(.warning, to: fitted(text)))
        }
        if let fault = overview.recordFault {
            let text = "RECORD: nothing new starts. \(fault.printable)"
            lines += wrapped(text, atMost: 3).map { style.apply(.bad, to: $0) }
        }
        return lines
    }

    // MARK: - Overview

    private func overviewLines(room: Int?) -> [String] {
        var head = sums
        let tail = troubles
        guard !overview.jobs.isEmpty else { return head + [""] + advice + tail }
        head.append("")
        // The heading of the table, and the line that says how many more there are.
        let most = room.map { max(1, $0 - head.count - tail.count - 2) } ?? overview.jobs.count
        return head + jobTable(most: most) + tail
    }

    private var sums: [String] {
        let counts = overview.counts
        let cells = min(20, max(0, width - 60))
        var slots = ProgressBar(done: counts.executing, total: max(1, overview.slots), elapsed: .zero)
        slots.partial = 0
        let bar = "[\(slots.bar(cells: cells))] "
        var workers = "\(overview.workers) worker\(overview.workers == 1 ? "" : "s")"
        if overview.awaitedWorkers > 0 { workers += ", \(overview.awaitedWorkers) not back since the restart" }
        let busy = "slots \(bar)\(counts.executing) of \(overview.slots) busy, \(workers)"
        let rate = overview.finishedPerSecond.map { $0 > 0 ? ProgressBar.text(ofRate: $0) : "0/s" } ?? "-"
        let states = "ready \(counts.ready)   executing \(counts.executing)   pending \(counts.pending)"
        let flow = "\(states)   finished \(rate)"
        let failures = "failed in the last hour \(overview.failedLastHour)"
        return [
            fitted(busy), fitted(flow),
            style.apply(overview.failedLastHour > 0 ? .bad : .faint, to: fitted(failures)),
        ]
    }

    /// What to do in a cluster without work.
    private var advice: [String] {
        overview.workers == 0
            ? [
                fitted("No job is unfinished, and no worker is connected. To start something:"),
                fitted("  baton worker             a worker on this host"),
                fitted("  baton run -- make -j4    a command in the cluster"),
            ]
            : [
                fitted("No job is unfinished. To start something:"),
                fitted("  baton run -- make -j4    a command in the cluster"),
                fitted("  baton worker             another worker on this host"),
            ]
    }

    private func jobTable(most: Int) -> [String] {
        let jobs = overview.jobs
        let selected = jobs.firstIndex { $0.job == state.selected } ?? 0
        // The marked line stays in view.
        let first = min(max(0, selected - most + 1), max(0, jobs.count - most))
        let shown = jobs[first..<min(jobs.count, first + most)]
        var table = TextTable([
            .init(""), .init("JOB", alignment: .right), .init("NAME", isFlexible: true), .init("PROGRESS"),
            .init("DONE", alignment: .right), .init("EXEC", alignment: .right), .init("FAILED", alignment: .right),
            .init("ETA", alignment: .right), .init("ELAPSED", alignment: .right),
        ])
        for job in shown { table.append(cells(of: job)) }
        var lines = table.rendered(width: width, style: style).split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).map(String.init)
        let more = jobs.count - shown.count + overview.moreJobs
        if more > 0 { lines.append(style.apply(.faint, to: fitted("  and \(more) more"))) }
        return lines
    }

    private func cells(of job: OverviewDocument.Job) -> [TextTable.Cell] {
        let isMarked = hasKeys && job.job == state.selected
        var bar = ProgressBar(done: job.counts.finished, total: job.counts.total, elapsed: .zero)
        bar.isOpen = job.open
        bar.partial = max(0, job.progress * Double(job.counts.total) - Double(job.counts.finished))
        let name = job.name?.asShown ?? job.command.map { OperationText.commandLine($0).printable } ?? "-"
        return [
            .init(isMarked ? ">" : ""), .init("\(job.job)"),
            .init(name, tone: isMarked ? .strong : nil, keepsEnd: job.name == nil),
            .init("[\(bar.bar(cells: width < 100 ? 8 : 20))]"),
            .init("\(job.counts.finished)/\(job.counts.total)"), .init("\(job.counts.executing)"),
            .init("\(job.counts.failed)", tone: job.counts.failed > 0 ? .bad : nil),
            .init(job.etaSeconds.map { Self.seconds(.seconds($0)) } ?? (job.open ? "open" : "-")),
            .init(Self.seconds(max(.zero, overview.time - job.submittedAt))),
        ]
    }

    /// A line for each of the first operations whose processes are stopped.
    private func stops(_ operations: [StoppedOperation]) -> [String] {
        operations.prefix(4).map { style.apply(.warning, to: fitted(OperationText.line(about: $0))) }
    }

    /// A line for each of the first operations that are paused.
    private func pauses(_ operations: [PausedOperation]) -> [String] {
        operations.prefix(4).map { style.apply(.warning, to: fitted(OperationText.line(about: $0))) }
    }

    /// Queues, operations and workers that need somebody.
    private var troubles: [String] {
        var lines: [String] = []
        if overview.workers == 0, overview.counts.unfinished > 0 {
            lines += ["", style.apply(.warning, to: fitted("no worker is connected: \"baton worker\" starts one"))]
        }
        if !overview.queues.isEmpty {
            lines.append("")
            lines += overview.queues.prefix(4).map { queue in
                let limit = "executes \(queue.executing) of at most \(queue.maxConcurrent ?? 0)"
                let why = queue.suspended ? "is suspended" : limit
                let text = "queue \(queue.queue.asShown) \(why), \(queue.waiting) waiting"
                return style.apply(.warning, to: fitted(text))
            }
            let more = overview.queues.dropFirst(4).count + overview.moreQueues
            if more > 0 { lines.append(style.apply(.faint, to: fitted("  and \(more) more queues"))) }
        }
        if let stopped = overview.stopped, !stopped.isEmpty {
            lines += [""] + stops(stopped)
            let more = stopped.dropFirst(4).count + (overview.moreStopped ?? 0)
            if more > 0 { lines.append(style.apply(.faint, to: fitted("  and \(more) more stopped operations"))) }
        }
        if let paused = overview.paused, !paused.isEmpty {
            lines += [""] + pauses(paused)
            let more = paused.dropFirst(4).count + (overview.morePaused ?? 0)
            if more > 0 { lines.append(style.apply(.faint, to: fitted("  and \(more) more paused operations"))) }
        }
        if !overview.troubledWorkers.isEmpty {
            lines.append("")
            lines += overview.troubledWorkers.prefix(4).map { worker in
                let reason = worker.reason.map { ": \($0.printable)" } ?? ""
                let text = "worker \(worker.worker.asShown) is \(worker.state.rawValue)\(reason)"
                return style.apply(worker.state == .draining ? .warning : .bad, to: fitted(text))
            }
            let more = overview.troubledWorkers.dropFirst(4).count + overview.moreTroubledWorkers
            if more > 0 { lines.append(style.apply(.faint, to: fitted("  and \(more) more workers"))) }
        }
        return lines
    }

    // MARK: - One job

    private func jobLines(_ open: TopState.OpenJob) -> [String] {
        guard let document = open.document else {
            return ["", fitted(open.fault.map(\.printable) ?? "Job \(open.job) ...")]
        }
        let counts = document.counts
        let word = (document.outcome?.description ?? document.state.description) + (document.open ? ", open" : "")
        let name = document.name.map { " (\($0.asShown))" } ?? ""
        var lines = ["", style.apply(.strong, to: fitted("Job \(open.job)\(name) \(word)"))]
        var bar = ProgressBar(
            done: counts.finished,
            total: counts.total,
            counts: [.init(counts.executing, "executing"), .init(counts.failed, "failed")],
            elapsed: max(.zero, overview.time - document.submittedAt)
        )
        bar.partial = max(0, document.progress * Double(counts.total) - Double(counts.finished))
        bar.isOpen = document.open
        bar.remaining = overview.jobs.first { $0.job == open.job }?.etaSeconds.map { .seconds($0) }
        if document.state == .finished {
            lines.append(fitted(counts.failuresFirst))
        } else {
            lines += [fitted(bar.line(width: width)), fitted(counts.brief)]
        }
        if let stopped = open.waiting?.stopped { lines += [""] + stops(stopped) }
        if let paused = open.waiting?.paused { lines += [""] + pauses(paused) }
        if let failures = open.failures, !failures.failures.isEmpty {
            lines += ["", style.apply(.bad, to: fitted("Failures:"))]
            let text = FailureText(document: failures, mostLines: 3, width: width)
            lines += text.shortLines.map(fitted)
            if failures.more > 0 { lines.append(fitted("\(failures.more) more kinds: baton failures \(open.job)")) }
        }
        if let waiting = open.waiting, !waiting.reasons.isEmpty {
            lines += ["", style.apply(.warning, to: fitted("What holds the rest up:"))]
            lines += waiting.reasons.prefix(Self.mostReasons).map { fitted("  " + $0.message.printable) }
            let more = waiting.reasons.dropFirst(Self.mostReasons).reduce(waiting.more) { $0 + $1.count }
            if more > 0 { lines.append(fitted("  and \(more) more: baton explain \(open.job)")) }
        }
        return lines
    }

    // MARK: - Texts

    private func fitted(_ text: String) -> String { TextWidth.shortened(text, to: width) }

    /// The text in lines of words, with an ellipsis if it is longer.
    private func wrapped(_ text: String, atMost most: Int) -> [String] {
        var lines: [String] = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            let longer = last.isEmpty ? String(word) : "\(last) \(word)"
            if last.isEmpty || TextWidth.columns(of: longer) <= width || lines.count == most {
                lines[lines.count - 1] = longer
            } else {
                lines.append(String(word))
            }
        }
        return lines.map(fitted)
    }

    /// A time in whole seconds below a minute, else in its largest units.
    private static func seconds(_ time: Duration) -> String {
        time < .seconds(60) ? "\(max(0, time.components.seconds))s" : time.roughText
    }
}
