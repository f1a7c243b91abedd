@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

/// Measurements of the arrival of a large job, in each form in which a job can arrive.
extension BenchRun {
    /// Measures the answers to other clients while a large job of held operations arrives.
    func measureArrival() async throws -> Figures {
        let cluster = try ownCluster()
        let shape: Workload.Shape =
            switch scenario {
            case .arriveArray: .array
            case .arriveGraph: .graph
            default: .different
            }
        let workload = Workload(shape, operations: operations, kind: settings.kind)
        let submission = workload.submission(seed: seed, isHeld: true)
        switch scenario {
        case .arriveLines: return try await measureLines(of: submission)
        case .arriveHTTP:
            let client = try BenchWebClient(of: cluster)
            let graph = GraphLines.document(submission)
            return try await measureUsers(during: { try await client.submit(graph) }, .submitSeconds)
        default:
            return try await measureUsers(
                during: { _ = try await connection.submit(submission) },
                .submitSeconds
            )
        }
    }

    /// Measures the arrival of a file with one operation a line.
    private func measureLines(of submission: Submission) async throws -> Figures {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = directory.path + "/graph.jsonl"
        try GraphLines.write(submission, to: file)
        let children = try caller.children()
        defer { children.shutDown() }
        return try await measureUsers(
            during: {
                let exit = try await children.run(["submit", "--file", file] + caller.options)
                guard exit.end == .exited(ExitStatus.success) else { throw Self.failed("submit") }
            },
            .submitSeconds
        )
    }
}
