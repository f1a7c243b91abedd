@_spi(Baton) import BatonChaosChecks
import Foundation
import Glibc
@_spi(Baton) import BatonNetworkFaults

/// The coordinator or a worker: a process that starts again after each kill, with the same name and the same state.
actor Node {
    nonisolated let name: String
    /// The relay to the coordinator, for a worker that can be cut off.
    nonisolated let relay: Relay?
    private let arguments: [String]
    private let programs: Programs
    private let journal: JournalFile
    private var lives = 0
    private var current: StartedProgram?
    private var isBusy = false
    /// The unexpected ends, in sentences.
    private(set) var incidents: [String] = []

    init(name: String, arguments: [String], relay: Relay? = nil, programs: Programs, journal: JournalFile) {
        self.name = name
        self.relay = relay
        self.arguments = arguments
        self.programs = programs
        self.journal = journal
    }

    /// The number of restarts.
    var restarts: Int { max(0, lives - 1) }

    /// Starts the process.
    func start() {
        lives += 1
        let journal = journal
        let life = "\(name)-\(lives)"
        let program = programs.start(arguments, name: life) { process in
            journal.note(.born(process: Int(process), name: life))
        }
        current = program
        Task { [lives] in
            let status = await program.end()
            noteEnd(ofLife: lives, status: status)
        }
    }

    private func noteEnd(ofLife life: Int, status: Int32) {
        guard life == lives, current != nil else { return }
        incidents.append("\(name) ended by itself with \(status) in its life \(life): see logs/\(name)-\(life).err.")
        start()
    }

    /// Kills the process; ``revive(after:)`` must follow.
    ///
    /// - Returns: false without a kill, if a kill or a stop is under way.
    func kill() async -> Bool {
        guard !isBusy, let program = current, let process = program.process else { return false }
        isBusy = true
        current = nil
        journal.note(.killing(process: Int(process)))
        program.kill()
        _ = await program.end()
        journal.note(.gone(process: Int(process)))
        return true
    }

    /// Starts the process again, some time after a kill.
    func revive(after pause: Duration) async {
        try? await Task.sleep(for: pause)
        start()
        isBusy = false
    }

    /// Stops the process, and continues it later.
    ///
    /// - Returns: false if a kill or a stop is under way.
    func stop(for duration: Duration) async -> Bool {
        guard !isBusy, let program = current, program.process != nil else { return false }
        isBusy = true
        defer { isBusy = false }
        program.signal(SIGSTOP)
        try? await Task.sleep(for: duration)
        program.signal(SIGCONT)
        return true
    }

    /// Cuts the node off from the coordinator, and joins it again later.
    ///
    /// A cut node may be killed meanwhile.
    ///
    /// - Returns: false without a relay.
    func cut(_ mode: Relay.Mode, for duration: Duration) async -> Bool {
        guard let relay else { return false }
        journal.note(.cut(name: name))
        relay.mode = mode
        try? await Task.sleep(for: duration)
        relay.mode = .forwarding
        journal.note(.joined(name: name))
        return true
    }

    /// The standard error of the present life.
    var errors: String { current?.errors ?? "" }

    /// Asks the process to end, and notes any end other than exit status 0.
    func end() async {
        guard let program = current else { return }
        current = nil
        program.terminate()
        let status = await program.end()
        if status != 0 {
            incidents.append("\(name) was asked to end, and ended with \(status): see logs/\(name)-\(lives).err.")
        }
    }
}
