@_spi(Baton) import BatonOperations

extension Scheduler {
    /// The maximum number of workers in the sentence.
    private static let listedWorkers = 5

    /// Why no worker that is present can ever take an operation of a submission (D16); nil if each has a worker that could.
    ///
    /// Without a worker, and as long as workers of before a restart may come back, nobody knows what there will be.
    ///
    /// - Complexity: O(templates · workers).
    func unplaceable(_ submission: Submission) -> Refusal? {
        let known = workers.indexes.lazy.map { workers[$0] }.filter { $0.condition != .lost }
        let present = known.map(\.introduction).sorted { $0.name < $1.name }
        guard !present.isEmpty, !known.contains(where: \.isAbsent) else { return nil }
        for (number, template) in submission.templates.enumerated() where template.hasRequest {
            let lacks = present.compactMap {
                WorkerLack(of: $0.name, for: template.request, offering: $0.offer, beside: ResourceUse())
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
}
