/// One line of the journal.
///
/// The place of a line in the journal is its time: every line is appended in one write, so later lines have later
/// places, across all processes and to any precision. The line of an event is written before the event, or as soon as
/// the tool knows of the event; each case says which.
package enum JournalEntry: Hashable, Sendable {
    /// The command of an operation has started: the first action of the command.
    case started(OperationAddress, attempt: Int, process: Int, worker: Int)
    /// The command of an operation is over except for its exit: written by the command.
    case ended(OperationAddress, attempt: Int, process: Int, status: Int)
    /// The command of an operation did not find the file of an input, or found other bytes in it: written by the command.
    case misread(OperationAddress, input: String)
    /// A process of Baton has been started, in the life of this name.
    case born(process: Int, name: String)
    /// A process of Baton is about to be killed.
    case killing(process: Int)
    /// A process of Baton that was killed is gone.
    case gone(process: Int)
    /// The worker of this name is about to be cut off from the coordinator.
    case cut(name: String)
    /// The worker of this name can reach the coordinator again.
    case joined(name: String)
    /// A cancellation of an operation, or of a whole job, has been acknowledged; `at` is the time of the
    /// acknowledgement in Baton's format.
    case cancelled(job: Int, index: Int?, at: String)
    /// A `baton wait` for a job has returned.
    case waited(job: Int)

    /// Reads a line without its end; nil for an unknown line.
    package init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        func number(_ index: Int) -> Int? { words.indices.contains(index) ? Int(words[index]) : nil }
        switch (words.first, words.count) {
        case ("start", 5):
            guard let address = OperationAddress(words[1]), let attempt = number(2), let process = number(3),
                let worker = number(4)
            else { return nil }
            self = .started(address, attempt: attempt, process: process, worker: worker)
        case ("end", 5):
            guard let address = OperationAddress(words[1]), let attempt = number(2), let process = number(3),
                let status = number(4)
            else { return nil }
            self = .ended(address, attempt: attempt, process: process, status: status)
        case ("misread", 3):
            guard let address = OperationAddress(words[1]) else { return nil }
            self = .misread(address, input: String(words[2]))
        case ("born", 3):
            guard let process = number(1) else { return nil }
            self = .born(process: process, name: String(words[2]))
        case ("killing", 2):
            guard let process = number(1) else { return nil }
            self = .killing(process: process)
        case ("gone", 2):
            guard let process = number(1) else { return nil }
            self = .gone(process: process)
        case ("cut", 2): self = .cut(name: String(words[1]))
        case ("joined", 2): self = .joined(name: String(words[1]))
        case ("cancelled", 3):
            if let job = number(1) {
                self = .cancelled(job: job, index: nil, at: String(words[2]))
            } else if let address = OperationAddress(words[1]) {
                self = .cancelled(job: address.job, index: address.index, at: String(words[2]))
            } else {
                return nil
            }
        case ("waited", 2):
            guard let job = number(1) else { return nil }
            self = .waited(job: job)
        default: return nil
        }
    }

    /// The line, without its end.
    package var line: String {
        switch self {
        case .started(let address, let attempt, let process, let worker):
            "start \(address) \(attempt) \(process) \(worker)"
        case .ended(let address, let attempt, let process, let status):
            "end \(address) \(attempt) \(process) \(status)"
        case .misread(let address, let input): "misread \(address) \(input)"
        case .born(let process, let name): "born \(process) \(name)"
        case .killing(let process): "killing \(process)"
        case .gone(let process): "gone \(process)"
        case .cut(let name): "cut \(name)"
        case .joined(let name): "joined \(name)"
        case .cancelled(let job, let index, let time): "cancelled \(job)\(index.map { "/\($0)" } ?? "") \(time)"
        case .waited(let job): "waited \(job)"
        }
    }
}
