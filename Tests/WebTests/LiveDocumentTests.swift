@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Documents of live streams", .timeLimit(.minutes(60)))
struct LiveDocumentTests {
    private func document(_ text: String) -> Reply { .document(Array(text.utf8)) }

    private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    @Test(
        "A topic is read as it is written",
        arguments: [
            "overview", "workers", "queues", "job:12", "job:4294967295", "operation:12/0", "operation:12/sepia",
        ]
    )
    func topics(text: String) {
        #expect(LiveTopic(text)?.description == text)
    }

    @Test(
        "Any other text is no topic",
        arguments: [
            "", "jobs", "Overview", "overview:1", "job", "job:", "job:0", "job:012", "job:1/2", "job:x",
            "job:4294967296",
            "job:1/*", "operation:1", "operation:1/", "operation:1/*", "operation:a/b", "operation:1/a b", "workers ",
            "queue:q",
        ]
    )
    func otherTopics(text: String) {
        #expect(LiveTopic(text) == nil)
    }

    @Test("What changes by the time that passes comes every fourth tick, anything else with the next")
    func aging() {
        var content = LiveContent()
        func take(_ tick: Int, finished: Int) {
            let text =
                #"{"uptimeSeconds":\#(tick),"time":"t\#(tick)","jobs":[{"etaSeconds":\#(tick)}],"finished":\#(finished)}"#
            content.take(document(text), of: .overview, newest: UInt64(tick), at: tick)
        }
        var versions: [Int] = []
        for tick in 1...14 {
            take(tick, finished: tick < 7 ? 0 : 1)
            versions.append(content.version)
            #expect(text(content.event)?.contains("\"t\(tick)\"") == true)
        }
        #expect(versions == [1, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4])
        // A change that does not repeat is not forgotten.
        content.take(document(#"{"time":"x","finished":1}"#), of: .overview, newest: 5, at: 15)
        #expect(content.version == 5)
        content.take(document(#"{"time":"y","finished":1}"#), of: .overview, newest: 5, at: 16)
        for tick in 17...20 {
            content.take(document(#"{"time":"y","finished":1}"#), of: .overview, newest: 5, at: tick)
        }
        #expect(content.version == 6)
    }

    @Test("Only values of members that age are left out of a comparison")
    func withoutAging() {
        let first = #"{"time":"a","name":"\"time\":1","x":{"seq":7},"etaSeconds":null,"roundTripSeconds":0.5}"#
        let aged = #"{"time":"bb","name":"\"time\":1","x":{"seq":12345},"etaSeconds":3.5,"roundTripSeconds":null}"#
        let other = #"{"time":"a","name":"\"time\":2","x":{"seq":7},"etaSeconds":null,"roundTripSeconds":0.5}"#
        #expect(Array(first.utf8).withoutAging == Array(aged.utf8).withoutAging)
        #expect(Array(first.utf8).withoutAging != Array(other.utf8).withoutAging)
    }

    @Test("A long list has its first elements, and the number of the others", arguments: [0, 1, 40, 400, 4_000])
    func lists(count: Int) throws {
        struct List: Decodable {
            struct Element: Decodable {
                var name: String
                var labels: [String: [Int]]
            }
            var workers: [Element]
            var more: Int
        }
        let names = (0..<count).map { "w\($0)" + String(repeating: #"]}\"\\"#, count: $0 % 7) }
        let elements = names.map { #"{"name":"\#($0)","labels":{"a":[1,2],"b":[]}}"# }
        let long = Array(#"{"workers":[\#(elements.joined(separator: ","))]}"#.utf8)
        for limit in [10, 14, 100, 5_000, long.count - 1, long.count] {
            let short = long.listShortened(to: limit)
            let list = try JSONDecoder().decode(List.self, from: Data(short))
            #expect(list.workers.count + list.more == count)
            #expect(short.count <= max(limit, 14) + 20)
            #expect(list.workers.enumerated().allSatisfy { $1.name.hasPrefix("w\($0)") })
            if limit >= long.count { #expect(list.more == 0) }
            // As many as fit.
            if list.more > 0 {
                #expect(short.count + elements[list.workers.count].utf8.count + 1 > limit, "\(limit)")
            }
        }
    }

    @Test("A long document of an operation is shortened, and says what is left out")
    func operation() throws {
        let job = JobNumber(12)
        let template = Template(work: Work(.commands([[String(repeating: "x", count: 100_000)]])))
        func bytes(dependencies: Int) -> [UInt8] {
            OperationDocument(
                record: OperationRecord(id: OperationID(job: job, index: 3)),
                entry: Entry(name: "a", template: 0),
                queue: "q",
                template: template,
                item: nil,
                dependencies: (0..<dependencies).map {
                    DependencyDocument(operation: "1/\($0)", condition: .any)
                },
                submittedAt: Timestamp(rawValue: 1)
            ).json
        }
        for (count, more) in [(0, 0), (500, 0), (2_000, 1_500)] {
            var content = LiveContent()
            let topic = LiveTopic.operation(.named(job, "a"))
            content.take(.document(bytes(dependencies: count)), of: topic, newest: 9, at: 1)
            #expect(content.event.count < LiveContent.longestDocument)
            let event = try #require(TestEvent.all(in: String(decoding: content.event, as: UTF8.self)).first)
            #expect(event.name == "operation" && event.data.hasSuffix(#","moreDependencies":\#(more),"seq":9}"#))
            let document = try OperationDocument.read(Array(event.data.utf8))
            #expect(document.operation.index == 3 && document.dependencies.count == count - more)
        }
    }

    @Test("A job's header has all members of its document but the operations and the next page")
    func header() throws {
        let name = #""operations":[],"next":0}"#
        for next in [0, nil] as [UInt32?] {
            let page = JobDocument(
                job: JobNumber(12),
                name: name,
                state: .executing,
                settings: JobSettings(tags: ["next": "1", "operations": "[]"]),
                counts: JobCounts(),
                operations: [],
                submittedAt: Timestamp(rawValue: 1),
                next: next
            ).json
            let header = try #require(JobHeader.document(of: page))
            let before = try #require(try JSONSerialization.jsonObject(with: Data(page)) as? [String: Any])
            let after = try #require(try JSONSerialization.jsonObject(with: Data(header)) as? [String: Any])
            #expect(Set(after.keys) == Set(before.keys).subtracting(["operations", "next"]))
            #expect(after["name"] as? String == name)
            #expect(after["tags"] as? [String: String] == ["next": "1", "operations": "[]"])
        }
        #expect(JobHeader.document(of: Array(#"{"array":"12/a"}"#.utf8)) == nil)
    }

    @Test(
        "A job's header is found by its keys, wherever they stand, and texts that look like members stay",
        arguments: [
            (#"{"next":0,"job":12,"operations":[]}"#, #"{"job":12}"#),
            (#"{"job":12,"operations":[{"next":3,"name":"]"}],"next":null}"#, #"{"job":12}"#),
            (
                #"{"operations":[],"name":"\",\"next\":7","counts":{"next":1,"operations":[]},"next":7,"job":12}"#,
                #"{"name":"\",\"next\":7","counts":{"next":1,"operations":[]},"job":12}"#
            ),
        ]
    )
    func headerParts(page: String, header: String) {
        #expect(JobHeader.document(of: Array(page.utf8)).map { String(decoding: $0, as: UTF8.self) } == header)
    }

    @Test(
        "What is no document of a job has no header",
        arguments: ["", "[]", "{", #"{"operations":[]}"#, #"{"next":0}"#, #"{"next":0,"operations":[]"#, "12"]
    )
    func noHeader(page: String) {
        #expect(JobHeader.document(of: Array(page.utf8)) == nil)
    }

    @Test("Long documents come more seldom, so that a stream stays within its bytes a second")
    func credit() throws {
        let stream = try TestStream()
        let topics: [LiveTopic] = [.workers, .queues]
        var reader = LiveReader(stream: stream.stream, topics: topics)
        var contents = [LiveContent(), LiveContent()]
        var updates = [0, 0]
        var sent = 0
        for tick in 1...200 {
            for index in contents.indices {
                let element = #"{"queue":"\#(tick)","x":"\#(String(repeating: "x", count: 30_000))"}"#
                contents[index].take(document(#"{"queues":[\#(element)]}"#), of: topics[index], newest: 5, at: tick)
            }
            let bytes = reader.nextBytes(isTick: true) { topic in contents[topics.firstIndex(of: topic) ?? 0] }
            for event in TestEvent.all(in: String(decoding: bytes, as: UTF8.self)) {
                #expect(event.data.contains("\"\(tick)\""))
                updates[event.name == "workers" ? 0 : 1] += 1
            }
            if tick > 1 { sent += bytes.count }
        }
        let most = LiveReader.mostCredit + 199 * LiveReader.bytesOfTick + 31_000
        #expect(sent <= most && sent > most - 100_000, "\(sent)")
        #expect(abs(updates[0] - updates[1]) <= 1, "\(updates)")
    }

    @Test("After a silence comes a comment, and nothing before the client has taken what waits")
    func silence() throws {
        let stream = try TestStream()
        var reader = LiveReader(stream: stream.stream, topics: [.overview])
        var content = LiveContent()
        content.take(document(#"{"finished":1}"#), of: .overview, newest: 5, at: 1)
        var written: [Int: String] = [:]
        for tick in 0...130 {
            let bytes = reader.nextBytes(isTick: tick > 0) { _ in content }
            if !bytes.isEmpty { written[tick] = String(decoding: bytes, as: UTF8.self) }
        }
        #expect(written.keys.sorted() == [0, LiveReader.ticksOfSilence, 2 * LiveReader.ticksOfSilence])
        #expect(written[LiveReader.ticksOfSilence] == ": \n\n")
        stream.stream.write("x".utf8)
        for _ in 0..<200 { #expect(reader.nextBytes(isTick: true) { _ in content }.isEmpty) }
        _ = stream.take()
        #expect(reader.nextBytes(isTick: true) { _ in content } == Array(": \n\n".utf8))
    }
}
