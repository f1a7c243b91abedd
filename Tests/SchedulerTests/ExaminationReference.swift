@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

@_spi(Baton) @testable import BatonScheduler

/// The comparison of a job's operations with conditions, computed from the record of each single operation.
extension Scheduler {
    /// Sentences about what is wrong with the comparison with any conditions, in parts of any length; empty for a right one.
    func examinationFaults(of job: JobNumber, _ random: inout SplitMix) -> [String] {
        let size = graph.job(job).map { graph[$0].operationCount } ?? 0
        let starts = (0..<size).compactMap { record(of: job / $0)?.startedAt }
        let filter = ListFilter(
            states: OperationState.allCases.filter { _ in random.chance(30) },
            outcomes: random.chance(20) ? [.failed] : [],
            name: random.chance(30) ? NameGlob(random.pick(["*", "?*[0-4]", "a*"]) ?? "") : nil,
            queue: random.chance(30) ? random.pick(allQueues)?.name ?? "other" : nil,
            worker: random.chance(30) ? random.pick(allWorkers)?.name ?? "other" : nil,
            since: random.chance(30) ? random.pick(starts) : nil
        )
        return examinationFaults(of: job, filter, limit: random.number(1...9), most: random.number(1...4))
    }

    /// Sentences about what is wrong with the comparison with conditions, in parts of some length; empty for a right one.
    func examinationFaults(of job: JobNumber, _ filter: ListFilter, limit: Int, most: Int) -> [String] {
        guard let place = graph.job(job) else {
            return examine(job, from: 0, limit: limit, most: most, filter) == nil ? [] : ["\(job) is not known"]
        }
        let size = UInt32(graph[place].operationCount)
        var found = (unfinished: [UInt32](), finished: [UInt32]())
        var next: UInt32 = 0
        while next < size {
            guard let part = examine(job, from: next, limit: limit, most: most, filter),
                part.indices.lowerBound == next, part.indices.upperBound > next, part.indices.upperBound <= size
            else { return ["the part of \(job) from \(next) on is wrong"] }
            let (unfinished, finished) = (Array(part.unfinished.joined()), Array(part.finished.joined()))
            guard unfinished.count <= most, finished.count <= limit,
                (unfinished + finished).allSatisfy(part.indices.contains)
            else { return ["the part \(part) of \(job) has too much"] }
            found.unfinished += unfinished
            found.finished += finished
            next = part.indices.upperBound
        }
        let expected = reference(job, filter)
        return found == expected ? [] : ["\(filter) finds \(found) of \(job), should find \(expected)"]
    }

    private func reference(_ job: JobNumber, _ filter: ListFilter) -> (unfinished: [UInt32], finished: [UInt32]) {
        var expected = (unfinished: [UInt32](), finished: [UInt32]())
        guard let place = graph.job(job) else { return expected }
        for entry in graph[place].entries.indices {
            let own = graph[place].names[entry]
            let name = own.isEmpty ? nil : own
            let live = graph[place].entries[entry]
            for index in live.first..<live.first + live.count {
                let id = OperationID(job: job, index: index)
                if let record = record(of: id) {
                    let isMet = filter.admits(
                        record.state,
                        nil,
                        name: name,
                        queue: queue(of: .operation(id)),
                        worker: record.worker,
                        moments: [record.startedAt]
                    )
                    if isMet { expected.unfinished.append(index) }
                } else if filter.admitsFinished, filter.name.map({ name.map($0.matches) ?? false }) ?? true {
                    expected.finished.append(index)
                }
            }
        }
        return expected
    }
}
