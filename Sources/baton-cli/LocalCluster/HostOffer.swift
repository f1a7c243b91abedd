@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

/// What the worker of a private cluster has: the processors and the memory that this process may use, and nothing else.
struct HostOffer {
    private let offer: WorkerOffer

    init() {
        offer = WorkerOffer(cpus: AvailableProcessors().thousandths, memory: AvailableMemory().bytes)
    }

    /// Refuses operations that the worker could never take: nobody else joins a private cluster.
    func check(_ submission: Submission) throws(CommandFailure) {
        if let held = submission.entries.first(where: \.isHeld) {
            let sentence = "it is held, and nobody else reaches this cluster to release it"
            throw refusal(of: held.name, sentence, "Leave the hold out")
        }
        try checkQueues(of: submission)
        for (number, template) in submission.templates.enumerated() {
            let name = submission.entries.first { $0.template == number }?.name
            if let type = template.work.kind.type {
                let sentence = "it is a Swift operation of type \(type.asShown), and a local worker runs commands alone"
                throw refusal(of: name, sentence, "Start a worker of your program that has the type")
            }
            let lack = WorkerLack(of: "", for: template.request, offering: offer, beside: ResourceUse())
            guard let shortage = lack?.shortages.first else { continue }
            throw refusal(of: name, Self.sentence(shortage), "Ask for less")
        }
    }

    /// Refuses operations in queues that start nothing.
    private func checkQueues(of submission: Submission) throws(CommandFailure) {
        for change in submission.queueChanges where change.maxConcurrent == .atMost(0) {
            guard let queue = submission.queueNames.firstIndex(of: change.name),
                let entry = submission.entries.first(where: { $0.queue == queue })
            else { continue }
            let sentence =
                "its queue \(change.name.asShown) has a limit of 0, and nobody else reaches this cluster to change that"
            throw refusal(of: entry.name, sentence, "Raise the limit")
        }
    }

    private func refusal(of name: String?, _ reason: String, _ advice: String) -> CommandFailure {
        CommandFailure(
            ExitStatus.refusedInput,
            code: "unplaceable",
            "\(name.map { "The operation \($0.asShown)" } ?? "An operation") can never run here: \(reason).",
            advice: "\(advice), or run it on a cluster without --local."
        )
    }

    private static func sentence(_ shortage: WorkerLack.Shortage) -> String {
        switch shortage {
        case .cpus(let needed, _, let total):
            "it asks for \(Thousandths.text(of: needed)) processors, and this host has \(Thousandths.text(of: total))"
        case .memory(let needed, _, let total):
            "it asks for \(ByteSize.text(of: needed)) of memory, and this host has \(ByteSize.roughText(of: total))"
        case .resource(let name, let needed, _, _):
            "it asks for \(needed) of \(name.asShown), and a local worker has none"
        case .label(let condition): "it asks for the label \(condition.description), and a local worker has no labels"
        }
    }
}
