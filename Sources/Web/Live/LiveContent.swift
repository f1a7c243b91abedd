@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The newest document of a topic, as an event.
struct LiveContent: Sendable {
    /// How many ticks apart at least are versions that differ only by the time that has passed.
    static let ticksOfAging = 4
    /// The most bytes of a document; longer ones are shortened.
    static let longestDocument = 64_000
    /// The most dependencies of an operation whose document is shortened.
    static let mostDependencies = 500

    /// The event; empty before the first document.
    private(set) var event: [UInt8] = []
    /// A number that grows whenever readers have to get the event; 0 before the first document.
    private(set) var version = 0

    /// The answer that the event was made of.
    private var source: Reply?
    /// The event without the members that change by the time that passes.
    private var lasting: [UInt8] = []
    /// Whether the event is another one than that of the version, and differs only by the time that has passed.
    private var hasAged = false
    /// The tick of the version.
    private var versionTick = 0

    /// Takes the coordinator's answer to the question of the topic.
    ///
    /// A refusal, except that of something that does not exist, changes nothing: the trouble may pass.
    ///
    /// - Parameters:
    ///   - newest: the number of an event that the coordinator knew before it answered.
    ///   - tick: the number of ticks so far.
    mutating func take(_ reply: Reply, of topic: LiveTopic, newest: UInt64, at tick: Int) {
        if reply != source, let event = Self.event(of: reply, topic, newest: newest) {
            source = reply
            self.event = event
            let lasting = event.withoutAging
            if lasting == self.lasting, version > 0 {
                hasAged = true
            } else {
                self.lasting = lasting
                setVersion(at: tick)
            }
        }
        if hasAged, tick - versionTick >= Self.ticksOfAging { setVersion(at: tick) }
    }

    private mutating func setVersion(at tick: Int) {
        version += 1
        versionTick = tick
        hasAged = false
    }

    private static func event(of reply: Reply, _ topic: LiveTopic, newest: UInt64) -> [UInt8]? {
        switch reply {
        case .document(let bytes):
            guard let document = document(of: bytes, topic, newest: newest) else { return nil }
            return event(topic.kind, document)
        case .refused(let refusal) where refusal.code == .notFound:
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("topic", description: topic)
            writer.member("message", refusal.message)
            writer.endObject()
            return event("gone", writer.bytes)
        default: return nil
        }
    }

    private static func event(_ kind: String, _ data: [UInt8]) -> [UInt8] {
        Array("event: \(kind)\ndata: ".utf8) + data + [0x0A, 0x0A]
    }

    private static func document(of bytes: [UInt8], _ topic: LiveTopic, newest: UInt64) -> [UInt8]? {
        let document: [UInt8]?
        switch topic {
        case .job: document = JobHeader.document(of: bytes)
        case .overview: document = bytes
        case .workers, .queues: document = bytes.listShortened(to: longestDocument)
        case .operation: document = bytes.count <= longestDocument ? bytes : shortened(bytes)
        }
        return document?.withMembers { $0.member("seq", newest) }
    }

    /// The document of an operation without its commands and options, and with its first dependencies.
    private static func shortened(_ bytes: [UInt8]) -> [UInt8]? {
        guard var operation = (try? OperationDocument.read(bytes))?.withoutContent else { return nil }
        let more = operation.dependencies.count - min(operation.dependencies.count, mostDependencies)
        operation.dependencies = Array(operation.dependencies.prefix(mostDependencies))
        return operation.json.withMembers { $0.member("moreDependencies", more) }
    }
}

extension [UInt8] {
    /// The keys of members that change by the time that passes, and by what happens elsewhere.
    private static let agingKeys = [
        "time", "uptimeSeconds", "etaSeconds", "roundTripSeconds", "silentSeconds", "seq",
    ].map { Array(#""\#($0)":"#.utf8) }

    /// A document of JSON without the values that change by the time that passes.
    ///
    /// - Complexity: O(bytes).
    var withoutAging: [UInt8] {
        var rest = self[...]
        var lasting: [UInt8] = []
        lasting.reserveCapacity(count)
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            lasting += rest[...quote]
            let key = Self.agingKeys.first { rest[quote...].starts(with: $0) }
            rest = rest[(quote + 1)...]
            guard let key else { continue }
            // The value is a number, null, or a string without commas.
            rest = rest[(quote + key.count)...].drop { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
        }
        return lasting + rest
    }
}
