@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Prints events on arrival, one per line.
struct EventPrinter {
    /// The key of an event about several operations.
    private static let count = EventLine.Key("count")
    /// The number of bytes to collect before a write.
    private static let pieceLength = 1 << 16

    private let isJSON: Bool
    /// The jobs to print; empty stands for all events.
    private let jobs: Set<JobNumber>
    private var text = EventText(style: Output.style)
    private var bytes: [UInt8] = []

    private var names: OperationNames

    init(isJSON: Bool, jobs: Set<JobNumber>, names: OperationNames) {
        self.names = names
        self.isJSON = isJSON
        self.jobs = jobs
    }

    /// Prints a page of events, and a notice of events missed before the page.
    ///
    /// - Parameter number: the number of the last event before the page.
    mutating func print(_ page: EventPage, since number: UInt64) async throws {
        if page.missed > 0 { try await add(EventDocument(missed: page.missed, last: number + page.missed)) }
        for line in page.lines.split(separator: UInt8(ascii: "\n")) {
            if isJSON, jobs.isEmpty, !Self.isAboutSeveral(line) {
                try add(line)
                continue
            }
            let event = try DocumentReader.read(EventDocument.self, from: Array(line), isExact: isJSON)
            guard isOfInterest(event) else { continue }
            for single in event.single { try await add(single) }
        }
        try flush()
    }

    /// Whether an event has a count, without JSON parsing.
    static func isAboutSeveral(_ line: ArraySlice<UInt8>) -> Bool {
        EventLine(line).has(count)
    }

    private func isOfInterest(_ event: EventDocument) -> Bool {
        guard !jobs.isEmpty else { return true }
        return (event.operation?.job ?? event.job).map(jobs.contains) ?? false
    }

    private mutating func add(_ event: EventDocument) async throws {
        if isJSON { return try add(event.json[...]) }
        var name: String?
        if let operation = event.operation { name = try await names.name(of: operation) }
        try add(Array(Output.shown(text.line(for: event, name: name)).utf8)[...])
    }

    private mutating func add(_ line: ArraySlice<UInt8>) throws {
        bytes += line
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count >= Self.pieceLength { try flush() }
    }

    private mutating func flush() throws {
        try Output.write(bytes, to: STDOUT_FILENO)
        bytes.removeAll(keepingCapacity: true)
    }
}
