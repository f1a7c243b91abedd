/// The lines of operations and of the tool during the run, in the order of time.
package struct Journal: Sendable {
    /// The executions of each operation, in the order of their starts.
    package private(set) var executions: [OperationAddress: [Execution]] = [:]
    /// The acknowledged cancellations, each with its place.
    package private(set) var cancellations: [Cancellation] = []
    /// The return of the wait for each job.
    package private(set) var waits: [Int: Int] = [:]
    /// The absences of the coordinator: from just before a kill until the next coordinator has taken over.
    private(set) var absences: [Range<Int>] = []

    /// The most lines from the birth of a coordinator until it has taken over.
    ///
    /// Meanwhile workers start operations that the previous coordinator has dispatched. Workers look for the new
    /// coordinator after a tenth of a second, the time of some dozens of lines.
    package static let handover = 100
    /// Contradictions in the journal itself, whatever Baton was asked to do.
    package private(set) var contradictions: [String] = []

    /// A cancellation that Baton has acknowledged.
    package struct Cancellation: Hashable, Sendable {
        /// The job.
        package var job: Int
        /// The operation's index in the job; nil for all operations.
        package var index: Int?
        /// The time of the acknowledgement, as Baton writes times.
        package var time: String
        /// The place of the acknowledgement in the journal.
        package var place: Int

        func includes(_ address: OperationAddress) -> Bool {
            job == address.job && (index ?? address.index) == address.index
        }
    }

    /// Reads a journal out of its text.
    ///
    /// - Complexity: linear in the number of lines.
    package init(text: String) {
        self.init(lines: text.split(separator: "\n"))
    }

    /// Reads a journal out of its entries, for tests.
    package init(_ entries: [JournalEntry]) {
        self.init(lines: entries.map(\.line))
    }

    private init(lines: [some StringProtocol]) {
        // The executions of each worker process in its present life.
        var started: [Int: [(address: OperationAddress, index: Int)]] = [:]
        // A process may still start commands between the decision to kill and its end.
        var (dying, gone): (Set<Int>, Set<Int>) = ([], [])
        var coordinators: Set<Int> = []
        // The name of a life starts with the name of its worker: w1-3.
        var lives: [Int: Substring] = [:]
        var cut: Set<Substring> = []
        for (place, line) in lines.enumerated() {
            switch JournalEntry(line: line) {
            case .started(let address, let attempt, let process, let worker):
                if gone.contains(worker) {
                    contradictions.append(
                        "\(address) started in process \(process) after its worker, \(worker), was gone."
                    )
                }
                started[worker, default: []].append((address, executions[address, default: []].count))
                var execution = Execution(attempt: attempt, process: process, worker: worker, start: place)
                if dying.contains(worker) { execution.workerKilled = place }
                if let name = lives[worker], cut.contains(name) { execution.workerCut = place }
                executions[address, default: []].append(execution)
            case .ended(let address, let attempt, let process, let status):
                let last = executions[address]?.lastIndex {
                    $0.attempt == attempt && $0.process == process && $0.end == nil
                }
                guard let last, let worker = executions[address]?[last].worker else {
                    contradictions.append("\(address) told of an end in process \(process), but of no start.")
                    continue
                }
                executions[address]?[last].end = Execution.End(place: place, status: status)
                if gone.contains(worker) {
                    contradictions.append(
                        "\(address) went on in process \(process) after its worker, \(worker), was gone."
                    )
                }
            case .misread(let address, let input):
                contradictions.append("\(address) did not find the bytes that \(input) left in its file.")
            case .born(let process, let name):
                coordinators.remove(process)
                lives[process] = name.prefix { $0 != "-" }
                if name.hasPrefix("coordinator") {
                    coordinators.insert(process)
                    if let absence = absences.popLast() {
                        absences.append(absence.lowerBound..<min(place + Self.handover, absence.upperBound))
                    }
                }
                gone.remove(process)
                dying.remove(process)
                started[process] = nil
            case .killing(let process):
                dying.insert(process)
                if coordinators.contains(process) { absences.append(place..<lines.count) }
                for (address, index) in started[process] ?? [] { executions[address]?[index].workerKilled = place }
            case .gone(let process): gone.insert(process)
            case .cut(let name):
                cut.insert(name[...])
                for (process, life) in lives where life == name[...] {
                    for (address, index) in started[process] ?? [] {
                        // The first cut keeps the worker from reporting.
                        if executions[address]?[index].workerCut == nil {
                            executions[address]?[index].workerCut = place
                        }
                    }
                }
            case .joined(let name): cut.remove(name[...])
            case .cancelled(let job, let index, let time):
                cancellations.append(Cancellation(job: job, index: index, time: time, place: place))
            case .waited(let job): waits[job] = place
            case nil: contradictions.append("Line \(place + 1) of the journal cannot be read: \"\(line)\".")
            }
        }
    }

    /// Whether an execution was forgotten before another started: the coordinator was killed, and its worker was killed
    /// or cut off.
    ///
    /// A coordinator commits reports with a delay of milliseconds, and the worker keeps them until then. An execution
    /// is forgotten if both die within that time, or if the worker does not come back within the reconcile window. The
    /// operation then runs again, and under the same number if even its dispatch was not committed.
    func isForgotten(_ execution: Execution, before next: Execution) -> Bool {
        let moments = [execution.workerKilled, execution.workerCut].compactMap(\.self)
        guard moments.contains(where: { $0 < next.start }) else { return false }
        return absences.contains { $0.upperBound > execution.start && $0.lowerBound < next.start }
    }
}
