@_spi(Baton) package import BatonDocuments
@_spi(Baton) import BatonOperations

extension SampleDocuments {
    /// A graph of two operations, of which the second needs the first.
    package static let graph: JobGraphDocument = {
        let job = JobNumber(12)
        let fetch = OperationID(job: job, index: 0)
        let join = OperationID(job: job, index: 1)
        var succeeded = JobCounts()
        succeeded.succeeded = 1
        var executing = JobCounts()
        executing.executing = 1
        return JobGraphDocument(
            job: job,
            name: "study",
            level: .operations,
            nodes: [
                JobGraphDocument.Node(operation: fetch, name: "fetch", counts: succeeded),
                JobGraphDocument.Node(operation: join, name: "join", counts: executing, layer: 1, x: 260),
            ],
            edges: [JobGraphDocument.Edge(from: fetch, to: join, condition: .success, count: 1)]
        )
    }()
}
