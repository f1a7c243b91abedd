@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The leaving of a command that shows a job or an operation: it goes on, and the user is told how to come back to it.
struct Departure: Sendable {
    /// The signals after which a command leaves the job or operation that it shows: a terminal that hangs up, and Ctrl-\.
    static let signals = [SIGHUP, SIGQUIT]

    private let subject: RunSubject
    private let global: GlobalOptions
    private let interruption: Interruption

    /// Leaves from now on at the signals.
    init(from subject: RunSubject, _ global: GlobalOptions, _ interruption: Interruption) {
        self.subject = subject
        self.global = global
        self.interruption = interruption
        let departure = self
        interruption.onLeaving { departure.leave(after: $0) }
    }

    /// Leaves the process.
    ///
    /// - Parameter signal: the number of the signal.
    private func leave(after signal: Int32) -> Never {
        tell()
        _exit(ExitStatus.signal(signal))
    }

    /// Says that the subject goes on; a failure to say so is ignored, since the terminal may have gone.
    func tell() {
        guard !global.json else {
            try? Output.document { writer in
                writer.member("job", subject.address.job.rawValue)
                if case .added(let operation) = subject { writer.member("operation", operation.description) }
                writer.member("detached", true)
            }
            return
        }
        guard !global.quiet else { return }
        let state = interruption.signal == nil ? "continues" : "is being cancelled"
        Output.noteOverProgress("\(subject.capitalizedText) \(state).\(advice)")
    }

    private var advice: String {
        let place = [("--coordinator", global.coordinator), ("--home", global.home)].map { name, value in
            value.map { " \(name) \($0)" } ?? ""
        }
        // A job that goes on after the operation is not what the user comes back to.
        let command =
            switch subject {
            case .job(let job, _), .only(let job): "attach \(job)"
            case .added(let operation): "log -f \(operation)"
            }
        return " Come back with \"baton \(command)\(place.joined())\"."
    }
}
