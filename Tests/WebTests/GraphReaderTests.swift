@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The reading of submitted graphs", .timeLimit(.minutes(60)))
struct GraphReaderTests {
    /// What takes long about a graph.
    enum Work: CaseIterable, Sendable {
        case reading, submitting
    }

    /// Work that blocks its thread until a gate opens.
    private final class SlowWork: Sendable {
        let begun = Latch<Void>()
        let gate = Latch<Void>()
        private let counts = Mutex((now: 0, most: 0))

        /// The most that was done at the same time.
        var most: Int { counts.withLock { $0.most } }

        func run() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
            begun.open()
            do { try gate.wait() } catch { Issue.record("the gate has not opened: all threads are blocked") }
            counts.withLock { $0.now -= 1 }
        }
    }

    private static let large = String(repeating: " ", count: GraphReader.mostSmallBytes + 1)
    private static let submission = Submission(templates: [], entries: [])

    private func post(_ body: String, to web: TestInterface) -> Task<HTTPResponse, any Error> {
        Task { try await web.ask("POST", "/api/v1/jobs", body) }
    }

    private func untilWaiting(_ count: Int, _ reader: GraphReader) async {
        while reader.turns.waitingCount != count { await Task.yield() }
    }

    @Test(
        "While a large graph is read or submitted, all else goes on, and other large ones wait",
        arguments: Work.allCases
    )
    func turns(slow: Work) async throws {
        let work = SlowWork()
        let reader = GraphReader { bytes throws(WebRefusal) in
            if slow == .reading, bytes.count > GraphReader.mostSmallBytes { work.run() }
            var submission = Self.submission
            submission.key = bytes.count > GraphReader.mostSmallBytes ? "large" : "small"
            return submission
        }
        let web = try TestInterface(
            PreparedCluster { question in
                if slow == .submitting, case .submit(let submission) = question.request, submission.key == "large" {
                    work.run()
                }
                return .job(JobNumber(12), operations: 1, isNew: true)
            },
            reader
        )
        var posts = [post(Self.large, to: web)]
        _ = await work.begun.value()
        for _ in 0..<GraphReader.mostWaiting { posts.append(post(Self.large, to: web)) }
        await untilWaiting(GraphReader.mostWaiting, reader)

        #expect(try await web.ask("GET", "/healthz").status == 200)
        #expect(try await web.ask("POST", "/api/v1/jobs", "small").status == 201)
        let refused = try await web.ask("POST", "/api/v1/jobs", Self.large)
        #expect(refused.status == 503 && refused.headers["Retry-After"] == "10", "\(refused.text)")

        // A client that leaves makes room for another.
        let gone = posts.remove(at: 4)
        gone.cancel()
        #expect(try await gone.value.status == 503)
        await untilWaiting(GraphReader.mostWaiting - 1, reader)
        posts.append(post(Self.large, to: web))
        await untilWaiting(GraphReader.mostWaiting, reader)

        work.gate.open()
        for post in posts { #expect(try await post.value.status == 201) }
        #expect(work.most == 1)
        #expect(reader.turns.waitingCount == 0)
    }

    @Test("Large graphs take no thread of the pool, however many interfaces read one", arguments: Work.allCases)
    func pool(slow: Work) async throws {
        // One for each thread of the pool, and a further one.
        let works = (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in SlowWork() }
        var posts: [Task<HTTPResponse, any Error>] = []
        for work in works {
            let reader = GraphReader { _ throws(WebRefusal) in
                if slow == .reading { work.run() }
                return Self.submission
            }
            let cluster = PreparedCluster { _ in
                if slow == .submitting { work.run() }
                return .job(JobNumber(12), operations: 1, isNew: true)
            }
            posts.append(post(Self.large, to: try TestInterface(cluster, reader)))
        }
        for work in works { _ = await work.begun.value() }
        for work in works { work.gate.open() }
        for post in posts { #expect(try await post.value.status == 201) }
    }

    @Test("A refused graph ends its turn")
    func refusals() async throws {
        let web = try TestInterface(PreparedCluster { _ in .job(JobNumber(12), operations: 1, isNew: true) })
        for _ in 0..<3 {
            let answer = try await web.ask("POST", "/api/v1/jobs", "{ operations: [{}] }" + Self.large)
            #expect(answer.status == 422 && answer.text.contains("body:1:"), "\(answer.text)")
        }
        let good = #"{ operations: [{ command: "true" }] }"#
        #expect(try await web.ask("POST", "/api/v1/jobs", good + Self.large).status == 201)
    }
}
