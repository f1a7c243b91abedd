@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The search", .timeLimit(.minutes(60)))
struct SearchTests {
    private struct Answer: Decodable {
        struct Result: Decodable, Hashable, CustomStringConvertible {
            var kind: String
            var address: String
            var name: String?
            var state: String?

            var description: String { "\(kind) \(address) \(name ?? "-") \(state ?? "-")" }
        }
        var results: [Result]
        var more: Bool
        var seq: Int
    }

    /// A cluster of jobs with names and operations, as the coordinator answers about it.
    private struct Cluster: Sendable {
        var jobs: [UInt32: (name: String?, operations: [(name: String, first: UInt32, count: UInt32)])] = [:]
        var queues: [String] = []
        var workers: [String] = []
        /// The most jobs that are compared for one answer.
        var mostExamined = 1_000
        /// The most names that are read for one answer.
        var namesOfPage = 1_000

        func reply(to request: Request) -> Reply? {
            switch request {
            case .document(.jobs(let before, let limit, let filter)): list(before, Int(limit), filter)
            case .document(.job(let number, 0, 0, _)): job(number)
            case .document(.names(let number, let pattern, let from)): names(number, pattern, from)
            case .document(.operation(let address)): operation(address)
            case .document(.queues):
                document(
                    QueueListDocument(
                        queues: queues.map {
                            QueueSummary(
                                queue: $0,
                                maxConcurrent: nil,
                                suspended: $0.hasSuffix("s"),
                                qos: nil,
                                count: 0,
                                executing: 0
                            )
                        }
                    )
                )
            case .document(.workers):
                document(
                    WorkersDocument(
                        workers: workers.map {
                            WorkersDocument.Worker(
                                worker: $0,
                                state: .alive,
                                slots: 1,
                                executing: 0,
                                host: "h",
                                processID: 1
                            )
                        }
                    )
                )
            default: nil
            }
        }

        private func document(_ document: some Document) -> Reply { .document(document.json) }

        private static let counts: JobCounts = {
            var counts = JobCounts()
            counts.executing = 1
            return counts
        }()

        private static let missing = Reply.refused(Refusal(.notFound, "There is no such thing."))

        private func list(_ before: JobNumber?, _ limit: Int, _ filter: ListFilter) -> Reply {
            let all = jobs.keys.sorted(by: >).filter { $0 < before?.rawValue ?? .max }
            let examined = all.prefix(filter.isEmpty ? limit : mostExamined)
            let matching = examined.filter { number in
                filter.admits(.executing, nil, name: jobs[number]?.name, queue: nil, worker: nil, moments: [])
            }
            let shown = matching.prefix(limit)
            let last = matching.count > limit ? shown.last : examined.count < all.count ? examined.last : nil
            return document(
                JobListDocument(
                    jobs: shown.map {
                        JobListDocument.Job(
                            job: JobNumber($0),
                            name: jobs[$0]?.name,
                            queue: nil,
                            state: .executing,
                            counts: Self.counts,
                            submittedAt: Timestamp(rawValue: 1)
                        )
                    },
                    next: last.map { JobNumber($0) },
                    more: nil
                )
            )
        }

        private func job(_ number: JobNumber) -> Reply {
            guard let job = jobs[number.rawValue] else { return Self.missing }
            return document(
                JobDocument(
                    job: number,
                    name: job.name,
                    state: .executing,
                    counts: Self.counts,
                    operations: [],
                    submittedAt: Timestamp(rawValue: 1)
                )
            )
        }

        private func names(_ number: JobNumber, _ pattern: String?, _ from: UInt32) -> Reply {
            guard let job = jobs[number.rawValue], let pattern else { return Self.missing }
            let rest = job.operations.filter { $0.first >= from }
            let page = rest.prefix(namesOfPage)
            return document(
                NamesDocument(
                    job: number,
                    names: page.filter { NameGlob(pattern).matches($0.name) }.map {
                        NamesDocument.Entry(name: $0.name, operations: $0.first..<($0.first + $0.count))
                    },
                    next: page.count < rest.count ? page.last.map { $0.first + $0.count } : nil
                )
            )
        }

        private func operation(_ address: Address) -> Reply {
            let found = jobs[address.job.rawValue]?.operations.first { operation in
                switch address {
                case .named(_, let name): operation.name == name
                case .operation(let id): (operation.first..<(operation.first + operation.count)).contains(id.index)
                default: false
                }
            }
            guard let found else { return Self.missing }
            if case .named(let job, let name) = address, found.count > 1 {
                return document(
                    ArrayDocument(job: job, name: name, operations: found.first..<(found.first + found.count))
                )
            }
            return document(
                OperationDocument(
                    record: OperationRecord(id: OperationID(job: address.job, index: found.first), state: .ready),
                    entry: Entry(name: found.name, template: 0),
                    queue: "q",
                    template: Template(work: Work(.noOperation)),
                    item: nil,
                    dependencies: [],
                    submittedAt: Timestamp(rawValue: 1)
                )
            )
        }
    }

    private static let cluster: Cluster = {
        var cluster = Cluster()
        cluster.jobs[12] = ("thumbnails", [("fetch", 0, 1), ("sepia", 1, 1), ("tile", 2, 30), ("separate", 32, 1)])
        cluster.jobs[13] = (nil, [("sepia", 0, 1), ("[x]*", 1, 1)])
        cluster.jobs[14] = ("12-again", [])
        cluster.queues = ["images", "thumbs", "default"]
        cluster.workers = ["w1", "thumb-worker"]
        return cluster
    }()

    private func search(_ text: String, in cluster: Cluster = Self.cluster) async throws -> (Answer, TestInterface) {
        let web = try TestInterface(PreparedCluster { cluster.reply(to: $0.request) })
        let escaped = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let answer = try await web.ask("GET", "/api/v1/search?q=\(escaped)")
        #expect(answer.status == 200, "\(answer.text)")
        return (try JSONDecoder().decode(Answer.self, from: Data(answer.text.utf8)), web)
    }

    @Test(
        "Jobs, operations, queues and workers are found by addresses and names",
        arguments: [
            ("12", ["job 12 thumbnails executing", "job 14 12-again executing"]),
            ("12/1", ["operation 12/1 sepia ready"]), ("12/sepia", ["operation 12/1 sepia ready"]),
            ("12/tile", ["operation 12/tile tile -"]),
            ("12/sep", ["operation 12/1 sepia ready", "operation 12/32 separate ready"]),
            (
                "thumb",
                [
                    "job 12 thumbnails executing", "queue thumbs thumbs suspended",
                    "worker thumb-worker thumb-worker alive",
                ]
            ),
            (
                "sep",
                ["operation 13/0 sepia ready", "operation 12/1 sepia ready", "operation 12/32 separate ready"]
            ), ("umbnai", ["job 12 thumbnails executing"]), ("ti", ["operation 12/tile tile -"]), ("pia", []),
            ("imag", ["queue images images suspended"]), ("default", ["queue default default -"]),
            ("99", []), ("99/1", []), ("99/a", []), ("12/99", []), ("Thumb", []), ("*", []), ("thumb*", []),
            ("th?mb", []),
            ("13/[x", []), ("no such name", []), ("/", []), ("a/b/c", []), ("12/*", ["job 12 thumbnails executing"]),
        ]
    )
    func names(text: String, expected: [String]) async throws {
        let (answer, _) = try await search(text)
        #expect(answer.results.map(\.description) == expected)
        #expect(!answer.more && answer.seq == 812)
    }

    @Test("There are at most twenty results of a kind, and more is said", arguments: [19, 20, 21, 300])
    func limits(count: Int) async throws {
        var cluster = Cluster()
        for number in 1...UInt32(count) { cluster.jobs[number] = ("x\(number)", []) }
        // The last job that is searched, so that the search is over with the operations.
        cluster.jobs[UInt32(max(1, count - Search.mostJobs + 1))]?.operations = (0..<UInt32(count)).map {
            ("x\($0)", $0, 1)
        }
        cluster.queues = (0..<count).map { "x\($0)" }
        cluster.workers = (0..<count).map { "ax\($0)" }
        let (answer, web) = try await search("x", in: cluster)
        for kind in SearchResult.Kind.allCases {
            #expect(answer.results.count { $0.kind == kind.rawValue } == min(count, 20), "\(kind)")
        }
        #expect(answer.more == (count > 20))
        #expect(web.cluster.requests.count <= 1 + Search.mostPages + 2 + 1 + Search.mostJobs + Search.mostOfKind)
    }

    @Test("A search that finds nothing asks a limited number of questions, and says that there may be more")
    func bounds() async throws {
        var cluster = Cluster()
        for number in 1...UInt32(5_000) { cluster.jobs[number] = ("y", [("y", 0, 1)]) }
        cluster.jobs[5_000]?.operations = (0..<5_000).map { ("y\($0)", $0, 1) }
        cluster.mostExamined = 100
        cluster.namesOfPage = 100
        let (answer, web) = try await search("x", in: cluster)
        #expect(answer.results.isEmpty && answer.more)
        #expect(web.cluster.requests.count <= 1 + Search.mostPages + 2 + 1 + Search.mostJobs)
        let (names, other) = try await search("5000/x", in: cluster)
        #expect(names.results.isEmpty && names.more)
        #expect(other.cluster.requests.count <= 1 + Search.mostPages)
        let (found, _) = try await search("5000/y39", in: cluster)
        #expect(found.results.count == 11 && found.more)
    }

    @Test(
        "Where operations of older jobs are not looked for, the answer says that there may be more",
        arguments: [1, Search.mostJobs, Search.mostJobs + 1, 3 * Search.mostJobs]
    )
    func olderJobs(count: Int) async throws {
        var cluster = Cluster()
        for number in 1...UInt32(count) { cluster.jobs[number] = (nil, []) }
        cluster.jobs[1]?.operations = [("sepia", 0, 1)]
        let isFound = count <= Search.mostJobs
        let (answer, _) = try await search("sep", in: cluster)
        #expect(answer.results.map(\.address) == (isFound ? ["1/0"] : []) && answer.more != isFound)
        // What names one job, or cannot be the name of an operation, is looked for in all that there is.
        for text in ["1/sep", "no name"] {
            let (answer, _) = try await search(text, in: cluster)
            #expect(!answer.more, "\(text)")
        }
    }

    @Test("A text with the characters of patterns, or as long as a name may be, is looked for as it is")
    func patterns() async throws {
        let long = "n" + String(repeating: "*", count: Name.maximumLength - 1)
        var cluster = Cluster()
        cluster.jobs[1] = (long, [(long, 0, 1)])
        cluster.jobs[2] = ("a[b]?c*", [("a[b]?c*", 0, 1)])
        cluster.jobs[3] = ("ab1c2", [("ab1c2", 0, 1)])
        for (text, addresses) in [(long, ["1", "1/0"]), ("a[b]?c*", ["2", "2/0"]), ("a[", ["2", "2/0"])] {
            let (answer, web) = try await search(text, in: cluster)
            #expect(answer.results.map(\.address) == addresses, "\(text)")
            for case .document(.jobs(_, _, let filter)) in web.cluster.requests {
                #expect(filter.name?.pattern.utf8.count ?? 0 <= Name.maximumLength)
            }
        }
        let (none, _) = try await search("*c", in: cluster)
        #expect(none.results.isEmpty)
    }

    @Test("A missing or too long text is refused, and so is a search that the coordinator cannot answer")
    func refusals() async throws {
        let web = try TestInterface(PreparedCluster { _ in .refused(Refusal(.storage, "The disk is full.")) })
        for query in ["", "?q=", "?q=\(String(repeating: "x", count: 300))", "?q=a&q=b", "?q=a&limit=1"] {
            #expect(try await web.ask("GET", "/api/v1/search\(query)").status == 400, "\(query)")
        }
        #expect(web.cluster.requests.isEmpty)
        #expect(try await web.ask("GET", "/api/v1/search?q=a").status == 503)
        let ending = try TestInterface(PreparedCluster { _ in nil })
        #expect(try await ending.ask("GET", "/api/v1/search?q=12").status == 503)
    }
}
