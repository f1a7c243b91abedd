@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

/// Gives the submissions of a workload files: operations that leave some, operations of the same and of other jobs that need them, and
/// operations that may not run again.
///
/// The random numbers are of a source of their own, so that the other runs stay as they are.
final class FileWorkload {
    private var random: SplitMix
    /// The choices about copies; nil for a run without, whose other choices stay as they are.
    private var copies: SplitMix?
    /// The choices about room; nil for a run without a lack of it.
    private var rooms: SplitMix?

    /// How long finished jobs keep files whose copies are looked at in the end: longer than any run.
    static let keepingTime = Duration.seconds(3600)

    /// Makes the choices of a run; nil for a run without files.
    init?(_ world: World, seed: UInt64) {
        guard world.hasFiles else { return nil }
        random = SplitMix(seed: seed ^ 0xF11E_0002)
        if world.hasCopies { copies = SplitMix(seed: seed ^ 0xF11E_0003) }
        if world.lacksRoom { rooms = SplitMix(seed: seed ^ 0xF11E_0004) }
    }

    /// Changes a submission.
    ///
    /// - Parameter jobs: the acknowledged jobs, with the number of their operations.
    func decorate(_ submission: inout Submission, after jobs: [(number: JobNumber, operations: UInt32)]) {
        for position in submission.entries.indices {
            if random.chance(60) { leaveFiles(&submission.templates[submission.entries[position].template]) }
            if position > 0, random.chance(50) {
                depend(&submission.entries[position], on: .entry(random.number(0...position - 1)))
            }
            if random.chance(25), let job = random.pick(jobs) {
                let index = UInt32(random.number(0...Int(job.operations) - 1))
                depend(
                    &submission.entries[position],
                    on: .existing(.operation(OperationID(job: job.number, index: index)))
                )
            }
        }
        if random.chance(30) { submission.settings.keepFiles = .milliseconds(random.number(0...5000)) }
        wantCopies(&submission)
    }

    /// Has some of the operations that leave files want two or three copies, which some of the jobs keep to the end of the run.
    private func wantCopies(_ submission: inout Submission) {
        guard copies != nil else { return }
        for position in submission.templates.indices where submission.templates[position].work.keepsFiles {
            if copies?.chance(60) ?? false { submission.templates[position].work.copies = copies?.number(2...3) ?? 1 }
        }
        if copies?.chance(50) ?? false { submission.settings.keepFiles = Self.keepingTime }
    }

    /// Has a template leave files; some of its attempts fail for a file that is missing, and some first ones find no room.
    private func leaveFiles(_ template: inout Template) {
        guard case .commands(var commands) = template.work.kind, !commands.isEmpty, commands[0].count > 2 else {
            return
        }
        let count = random.number(1...2)
        template.work.outputs = Array(SimulatedContents.patterns.shuffled(using: &random).prefix(count))
        if commands[0][2] == "0", random.chance(6) { commands[0][2] = Behaviour.unkept }
        if random.chance(10) {
            template.restart = .never
            commands[0].insert(SimulatedProcess.onceMark, at: 2)
        }
        if rooms?.chance(15) ?? false { commands[0].insert(Behaviour.crowded, at: 2) }
        template.work.kind = .commands(commands)
    }

    private func depend(_ entry: inout Entry, on target: Dependency.Target) {
        guard !entry.dependencies.contains(where: { $0.target == target }) else { return }
        let condition: DependencyCondition = random.chance(60) ? .success : .any
        entry.dependencies.append(Dependency(on: target, condition: condition))
    }
}
