@_spi(Baton) import BatonThreads

/// The loop of the supervisor's thread, which carries out requests of other threads, and reports on their processes.
///
/// Confined to the supervisor's thread. The loop reports each accepted launch once.
final class SupervisorLoop {
    private let mailbox: SupervisorMailbox
    private let processes: SupervisedProcesses
    /// Launches that have not ended, by their tokens.
    private var launches: [UInt64: SupervisorLetter.Launch] = [:]
    private var isStopping = false

    init(
        mailbox: SupervisorMailbox,
        openFiles: OpenFileLimit?,
        groupFile: GroupFile?,
        startsAll: Bool
    ) throws(SystemFailure) {
        self.mailbox = mailbox
        processes = try SupervisedProcesses(openFiles: openFiles, groupFile: groupFile, startsAll: startsAll)
        try processes.listen(to: mailbox.bell.descriptor)
    }

    /// Runs until a shutdown is requested and all processes have ended.
    func run() {
        while true {
            let mayThenSleep = processes.timeUntilDue != .zero
            let letters = mailbox.take(mayThenSleep: mayThenSleep).elements
            for letter in letters { follow(letter) }
            // The next letter rings the bell only if the mailbox was found empty before the sleep.
            let sleeps = mayThenSleep && letters.isEmpty && !(isStopping && processes.isEmpty)
            if let event = processes.startNext() { tell(event) }
            for event in processes.takeEvents(waitingAtMost: sleeps ? nil : .zero) { tell(event) }
            if isStopping, processes.isEmpty { return }
        }
    }

    private func follow(_ letter: SupervisorLetter) {
        switch letter {
        case .launch(let launch):
            guard launches[launch.token] == nil else {
                let reason = "the token \(launch.token) belongs to a process that has not ended"
                return launch.onEnd(.failure(LaunchFailure(.invalid, reason)))
            }
            launches[launch.token] = launch
            processes.launch(launch.specification, token: launch.token)
        case .terminate(let token, let grace):
            processes.terminate(token, grace: grace)
        case .terminateAll(let grace):
            processes.terminateAll(grace: grace)
        case .reapOrphans:
            processes.reapOrphans()
        case .shutDown:
            isStopping = true
            processes.shutDown()
        }
    }

    private func tell(_ event: SupervisedProcesses.Event) {
        switch event {
        case .started(let token, let process): launches[token]?.onStart(process)
        case .ended(let token, let end): launches.removeValue(forKey: token)?.onEnd(end)
        }
    }
}
