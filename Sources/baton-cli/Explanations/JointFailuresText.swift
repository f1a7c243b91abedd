@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The failures of several jobs as text for people: failures that are alike are in one group, whatever their jobs.
struct JointFailuresText {
    /// The most operations of a group that are kept by name, as in the document of one job.
    private static let mostOperations = 10
    /// The most jobs that the command for a retry names.
    private static let mostJobs = 20

    /// The failures of each job; jobs without any add nothing.
    let documents: [FailuresDocument]
    /// The most groups that are shown.
    var limit = 10
    /// The width for lists of addresses.
    var width = 80

    /// A sentence about all jobs, each group, and the command that retries them.
    var lines: [String] {
        let groups = groups
        var lines = [summary(of: groups)]
        for group in groups.prefix(limit) {
            lines.append("")
            lines += FailureText(document: group.document, width: width).lines(of: group.failures)
        }
        if let retry { lines += ["", retry] }
        return lines
    }

    /// The number of groups that are not shown.
    var more: Int { max(0, groups.count - limit) + documents.reduce(0) { $0 + $1.more } }

    private struct Group {
        /// The document in which the group comes first.
        let document: FailuresDocument
        /// The group with the operations of all jobs.
        var failures: FailuresDocument.Group
    }

    /// The groups, the largest first, numbered in this order.
    private var groups: [Group] {
        var groups: [Group] = []
        var places: [FailureKind: Int] = [:]
        for document in documents {
            for group in document.failures {
                let kind = FailureKind(
                    reason: group.reason,
                    exitStatus: group.exitStatus,
                    signal: group.signal,
                    line: group.line ?? ""
                )
                guard let place = places[kind] else {
                    places[kind] = groups.count
                    groups.append(Group(document: document, failures: group))
                    continue
                }
                groups[place].failures.count += group.count
                let room = Self.mostOperations - groups[place].failures.operations.count
                groups[place].failures.operations += group.operations.prefix(max(0, room))
                groups[place].failures.names += group.names.prefix(max(0, room))
                groups[place].failures.items += group.items.prefix(max(0, room))
            }
        }
        // Of groups of one size, the one that came first stays first.
        let order = groups.indices.sorted { first, second in
            let counts = (groups[first].failures.count, groups[second].failures.count)
            return counts.0 == counts.1 ? first < second : counts.0 > counts.1
        }
        return order.enumerated().map { number, place in
            var group = groups[place]
            group.failures.group = number + 1
            return group
        }
    }

    private var failedJobs: [FailuresDocument] { documents.filter { !$0.failures.isEmpty } }

    private func summary(of groups: [Group]) -> String {
        let failed = documents.reduce(0) { $0 + $1.counts.failed }
        let ways = groups.count + documents.reduce(0) { $0 + $1.more }
        let jobs = failedJobs.count
        var text = "\(failed) operation\(failed == 1 ? "" : "s") of \(jobs) job\(jobs == 1 ? "" : "s") failed"
        text += failed > 1 ? (ways == 1 ? ", all alike." : " in \(ways) ways.") : "."
        let unfinished = failedJobs.filter { $0.state != .finished }.count
        if unfinished == 1 { text += " 1 of the jobs is not finished." }
        if unfinished > 1 { text += " \(unfinished) of the jobs are not finished." }
        return text
    }

    /// The command that retries the jobs; nil unless one is finished.
    private var retry: String? {
        let jobs = failedJobs.filter { $0.state == .finished }.map { "\($0.job)" }
        guard !jobs.isEmpty else { return nil }
        guard jobs.count <= Self.mostJobs else {
            return "Retry: baton retry, with the numbers of these \(jobs.count) jobs or with --tag and --since."
        }
        return "Retry: baton retry \(jobs.joined(separator: " "))"
    }
}
