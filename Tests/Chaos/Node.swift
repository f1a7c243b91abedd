import BatonChaosChecks
import Foundation
import Glibc
import BatonNetworkFaults

/// The coordinator or a worker: a process that is started again, under the same name and on the same state, whenever it was
/// killed.
actor Node {
    nonisolated let name: String
    /// Between it and the coordinator, where that is cut now and then.
    nonisolated let relay: Relay?
    private let arguments: [String]
    private let programs: Programs
    private let journal: JournalFile
    private var lives = 0
    private var current: StartedProgram?
    private var isBusy = false
    /// How often it ended though nobody had ended it, in sentences.
    private(set) var incidents: [String] = []

    init(name: String, arguments: [String], relay: Relay? = nil, programs: Programs, journal: JournalFile) {
        self.name = name
        self.relay = relay
        self.arguments = arguments
        self.programs = programs
        self.journal = journal
    }

    /// How often it was started again.
    var restarts: Int { max(0, lives - 1) }

    /// Starts it.
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

    /// Kills it; ``revive(after:)`` must follow.
    ///
    /// - Returns: false, and nothing is to follow, if it is just being killed or stopped.
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

    /// Starts it again, some time after it was killed.
    func revive(after pause: Duration) async {
        try? await Task.sleep(for: pause)
        start()
        isBusy = false
    }

    /// Stops it where it is, and lets it go on later.
    ///
    /// - Returns: false if it is just being killed or stopped.
    func stop(for duration: Duration) async -> Bool {
        guard !isBusy, let program = current, program.process != nil else { return false }
        isBusy = true
        defer { isBusy = false }
        program.signal(SIGSTOP)
        try? await Task.sleep(for: duration)
        program.signal(SIGCONT)
        return true
    }

    /// Cuts it off from the coordinator, and joins it again later.
    ///
    /// It may be killed meanwhile, as everything may that a network has parted.
    ///
    /// - Returns: false if nothing can be cut.
    func cut(_ mode: Relay.Mode, for duration: Duration) async -> Bool {
        guard let relay else { return false }
        journal.note(.cut(name: name))
        relay.mode = mode
        try? await Task.sleep(for: duration)
        relay.mode = .forwarding
        journal.note(.joined(name: name))
        return true
    }

    /// What it writes to standard error in its present life.
    var errors: String { current?.errors ?? "" }

    /// Asks it to end, and says what it did instead of ending with 0.
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
