@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The number of the newest event in documents", .timeLimit(.minutes(60)))
struct NewestEventTests {
    private struct Numbered: Decodable { var seq: UInt64 }

    /// Each document that is read may have aged when it comes.
    private static let documents = Route.all.filter { !$0.isActing && $0.answer == .json }

    @Test("Each document that is read has the number that was the newest one before anything was asked")
    func documents() async throws {
        #expect(Self.documents.count > 15)
        for route in Self.documents {
            let newest = Atomic<UInt64>(100)
            // Every question is answered later than another event.
            let cluster = PreparedCluster(newest: { newest.load(ordering: .relaxed) }) { question in
                newest.add(1, ordering: .relaxed)
                return SampleAnswers(isFull: true).reply(to: question.request)
            }
            let web = try TestInterface(cluster)
            let before = newest.load(ordering: .relaxed)
            let answer = try await web.ask("GET", route.sampleTarget)
            #expect(answer.status == 200 && !cluster.requests.isEmpty, "\(route.path): \(answer.text)")
            var text = answer.text
            if let stream = answer.stream {
                let client = try TestStream(stream)
                while client.stream.write([]) { await Task.yield() }
                text = client.take()
            }
            let document = try? JSONDecoder().decode(Numbered.self, from: Data(text.utf8))
            #expect(document?.seq == before, "\(route.path): \(text.suffix(200))")
        }
    }

    @Test("The number costs the coordinator no question")
    func cost() async throws {
        let web = try TestInterface(PreparedCluster { SampleAnswers(isFull: true).reply(to: $0.request) })
        for path in ["status", "jobs", "jobs/12", "queues", "workers/w1", "operations/12/3", "throughput"] {
            let asked = web.cluster.requests.count
            #expect(try await web.ask("GET", "/api/v1/" + path).status == 200, "\(path)")
            #expect(web.cluster.requests.count == asked + 1, "\(path)")
        }
    }

    @Test("The description requires the number in each document that is read, and in no other")
    func description() throws {
        let schemas = try AnswerSchemas.own.get()
        for route in Route.all where route.answer == .json {
            let operation = schemas.description["paths"]?[route.path.description]?[route.method.rawValue.lowercased()]
            let content = operation?["responses"]?[route.success]?["content"]?["application/json"]
            guard case .array(let parts)? = content?["schema"]?["allOf"] else {
                #expect(route.isActing, "\(route.path)")
                continue
            }
            #expect(!route.isActing && parts.last?["required"] == .array([.string("seq")]), "\(route.path)")
        }
    }

    @Test("The status has the number also while the record cannot be written")
    func failingRecord() async throws {
        let web = try TestInterface(
            PreparedCluster { question in
                switch question.request {
                case .document(.status): .refused(Refusal(.storage, "The disk is full."))
                default: SampleAnswers(isFull: true).reply(to: question.request)
                }
            }
        )
        let answer = try await web.ask("GET", "/api/v1/status")
        #expect(
            answer.text.hasSuffix(#""record":{"ok":false,"message":"The disk is full."},"seq":812}"#),
            "\(answer.text)"
        )
    }
}
