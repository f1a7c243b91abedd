@_spi(Baton) import BatonOperations

extension Scheduler {
    /// The maximum number of workers in the sentence.
    private static let listedWorkers = 5

    /// Why no worker that is present can ever take an operation of a submission (D16); nil if each has a worker that could.
    ///
    /// A worker can take an operation if it runs the operation's type, has what the operation asks for, and has more time left than
    /// the operation declares.
    ///
    /// A worker that has been stopped, or stops by itself, takes nothing any more. Without another one, and as long as workers of
    /// before a restart may come back, nobody knows what there will be.
    ///
    /// - Complexity: O(templates · workers).
    func unplaceable(_ submission: Submission) -> Refusal? {
        let known = workers.runners.lazy.map { workers[$0] }.filter { $0.condition != .lost }
        let present = known.sorted { $0.introduction.name < $1.introduction.name }
        guard present.contains(where: { !$0.isLeaving }), !known.contains(where: \.isAbsent) else { return nil }
        for (number, template) in submission.templates.enumerated() where template.maySuitNobody {
            let lacks = present.compactMap { worker in
                lack(of: worker, for: template).map { (worker: worker.introduction.name, description: $0) }
            }
            guard lacks.count == present.count,
                let entry = submission.entries.firstIndex(where: { $0.template == number })
            else { continue }
            let listed = lacks.prefix(Self.listedWorkers).map { "\($0.worker.asShown) (\($0.description))" }
            let others = lacks.count - listed.count
            return Refusal(
                .unplaceable,
                "No worker that is here can ever take \(submission.entries[entry].name?.asShown ?? "operation \(entry)"): "
                    + listed.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "") + "."
            )
        }
        return nil
    }

    /// Why a worker can never take operations, in words; nil if it can.
    private func lack(of worker: WorkerState, for template: Template) -> String? {
        if worker.isLeaving { return "it is stopping" }
        var lacks: [String] = []
        let introduction = worker.introduction
        if let type = template.work.kind.type, !introduction.types.contains(type) {
            lacks.append("it does not run \(type.asShown)")
        }
        if let needed = template.declaredTime, let end = worker.endsAt, needed > max(.zero, end - now) {
            lacks.append("time: needs \(needed.text), \((end - now).roughText) left")
        }
        if template.hasRequest,
            let lack = WorkerLack(
                of: introduction.name,
                for: template.request,
                offering: introduction.offer,
                beside: ResourceUse()
            )
        {
            lacks.append(lack.description)
        }
        return lacks.isEmpty ? nil : lacks.joined(separator: "; ")
    }
}
