extension Evidence {
    /// No operation starts after the acknowledgement of its cancellation, unless Baton had started it before.
    func violationsOfCancellations() -> [String] {
        let all = Dictionary(
            subjects().joined().map { ($0.address, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let cancellations = Dictionary(grouping: journal.cancellations, by: \.job)
        return journal.executions.keys.sorted().flatMap { address -> [String] in
            let acknowledged = (cancellations[address.job] ?? []).filter { $0.includes(address) }
            guard let first = acknowledged.min(by: { $0.place < $1.place }) else { return [] }
            return (journal.executions[address] ?? []).filter { execution in
                guard execution.start > first.place else { return false }
                // What is over is not cancelled: its file may be made once more.
                if let subject = all[address], subject.isRepetition(execution) { return false }
                // Baton may have launched the command before the acknowledgement, with the first line of the command
                // after it.
                guard let operation = all[address]?.shown, operation.attempt == execution.attempt,
                    let startedAt = operation.startedAt
                else { return true }
                return startedAt > first.time
            }.map { "\(address) started as attempt \($0.attempt) after its cancellation had been acknowledged." }
        }
    }
}
