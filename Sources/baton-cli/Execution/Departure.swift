@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The leaving of a command that shows a job: the job goes on, and the user is told how to come back to it.
struct Departure: Sendable {
    /// The signals after which a command leaves its job: a terminal that hangs up, and Ctrl-\.
    static let signals = [SIGHUP, SIGQUIT]

    /// The key on a terminal with the effect of Ctrl-\.
    static let key: Character = "d"

    private let job: JobNumber
    private let global: GlobalOptions
    private let interruption: Interruption
    /// The wait for the key; nil without a terminal.
    let terminalKey: TerminalKey?

    /// Leaves from now on at the signals and at the key.
    init(from job: JobNumber, _ global: GlobalOptions, _ interruption: Interruption) {
        self.job = job
        self.global = global
        self.interruption = interruption
        // A key has the effect of the signal, so that there is one way to leave.
        terminalKey = TerminalKey(Self.key) { kill(getpid(), SIGQUIT) }
        let departure = self
        interruption.onLeaving { departure.leave(after: $0) }
        interruption.beforeLeaving { departure.terminalKey?.stop() }
    }

    /// Leaves the process.
    ///
    /// - Parameter signal: the number of the signal; the key for leaving counts as SIGQUIT.
    private func leave(after signal: Int32) -> Never {
        terminalKey?.stop()
        tell()
        _exit(ExitStatus.signal(signal))
    }

    /// Says that the job goes on; a failure to say so is ignored, since the terminal may have gone.
    func tell() {
        guard !global.json else {
            try? Output.document { writer in
                writer.member("job", job.rawValue)
                writer.member("detached", true)
            }
            return
        }
        guard !global.quiet else { return }
        let state = interruption.signal == nil ? "continues" : "is being cancelled"
        Output.noteOverProgress("Job \(job) \(state).\(advice)")
    }

    private var advice: String {
        let place = [("--coordinator", global.coordinator), ("--home", global.home)].map { name, value in
            value.map { " \(name) \($0)" } ?? ""
        }
        return " Come back with \"baton attach \(job)\(place.joined())\"."
    }
}
