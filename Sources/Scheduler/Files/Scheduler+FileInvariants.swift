@_spi(Baton) import BatonOperations

extension Scheduler {
    /// Checks that copies and waits are counted rightly, that nothing stands in line whose files have no copy, and that nothing runs
    /// again whose files are there.
    func checkFiles(_ found: inout [String]) {
        found += files.violations()
        checkCopies(&found)
        for place in graph.fileWaits.nodes {
            let node = graph[place]
            if node.stage != .pending { found.append("\(graph.id(of: node)) waits for files and is \(node.state)") }
            if graph.fileWaits[place] != lostSources(of: node) {
                found.append("\(graph.id(of: node)) waits for other files than are lost")
            }
        }
        if !files.fetchers.isSubset(of: Set(workers.indexes)) { found.append("workers that have gone fetch files") }
        for worker in workers.indexes {
            let fetching = Set(workers[worker].sent.fetchingTokens)
            guard !fetching.isSuperset(of: files.fetchTimes.tokens(at: worker)) else { continue }
            found.append("worker \(workers[worker].introduction.name) fetches files for attempts that it was not sent")
        }
        for worker in workers.indexes where workers[worker].condition == .lost || workers[worker].isAbsent {
            if !files.digests(at: worker).isEmpty {
                found.append("worker \(workers[worker].introduction.name) is gone and has files")
            }
        }
        for (id, rerun) in graph.reruns {
            let node = graph[rerun.place]
            if graph.id(of: node) != id || graph.node(for: id) != nil { found.append("the rerun of \(id) is mixed up") }
            if graph.isEnding(node) {
                if node.token == nil { found.append("\(id) runs again after the end of its job") }
            } else if files[id]?.producer == nil {
                found.append("\(id) runs again, and nobody knows its files")
            }
        }
        guard !reconciliation.isOpen else { return }
        if !files.isComplete {
            for place in graph.nodeIndexes where graph[place].hasTurn && graph[place].hasInputs {
                let node = graph[place]
                guard node.cancellation == .notRequested, !lostSources(of: node).isEmpty else { continue }
                found.append("\(graph.id(of: node)) stands in line, and files that it needs have no copy")
            }
        }
        for (id, rerun) in graph.reruns where !files.isIncomplete(id) || !graph.fileWaits.isAwaited(id) {
            let node = graph[rerun.place]
            if node.stage == .ready || node.stage == .pending || node.stage == .sent && !node.isRecalled {
                found.append("\(id) is to run again, and nobody needs it")
            }
        }
        if files.firstReports.isDecisionPutOff {
            if !files.firstReports.hasTimer { found.append("nothing will decide about files without a copy") }
            return
        }
        for id in graph.fileWaits.awaited where graph.reruns[id] == nil {
            let isStuck = graph.fileWaits.waiting(for: id).contains { graph[$0].cancellation == .notRequested }
            if isStuck { found.append("somebody waits for files of \(id), which does not run again") }
        }
    }
}
