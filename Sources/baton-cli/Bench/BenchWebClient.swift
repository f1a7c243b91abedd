@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonTelemetry
@_spi(Baton) import BatonThreads

/// A program that submits jobs over HTTP to a benchmark's cluster.
struct BenchWebClient {
    /// The most time of a submission: a slow answer is a figure and not an error.
    private static let limits = HTTPExchange.Limits(silence: .seconds(600), whole: .seconds(600))

    private let jobs: TraceEndpoint
    private let headers: [TraceHeader]

    /// Finds the web interface of a cluster.
    init(of cluster: BenchCluster) throws {
        let home = cluster.directory.path
        guard let url = try WebAddressFile(home: home).url(), let token = try LocalTokenFile(home: home).token() else {
            throw CommandFailure(
                ExitStatus.fault,
                code: "http",
                "The coordinator of the benchmark has no web interface; the reason is on standard error."
            )
        }
        jobs = try TraceEndpoint(url + "api/v1/jobs", isWhole: true, from: "the file http-address")
        headers = [TraceHeader(name: "Authorization", value: "Bearer " + token.text)]
    }

    /// Submits a graph file, and returns once it is answered.
    func submit(_ graph: [UInt8]) async throws(CommandFailure) {
        let (jobs, headers) = (jobs, headers)
        let answer: HTTPAnswer
        do throws(HTTPExchange.Failure) {
            answer = try await onOwnThread(named: "http") { () throws(HTTPExchange.Failure) in
                try HTTPExchange.post(graph, to: jobs, headers: headers, within: Self.limits)
            }
        } catch {
            throw Self.failed(error.description)
        }
        guard answer.status == 201 else {
            throw Self.failed("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    private static func failed(_ reason: String) -> CommandFailure {
        CommandFailure(
            ExitStatus.fault,
            code: "http",
            "A submission over HTTP failed during the measurement: \(reason)."
        )
    }
}
