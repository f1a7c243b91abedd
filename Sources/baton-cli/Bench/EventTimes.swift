@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The start and end times of a job's operations, from the stream of events.
struct EventTimes: Sendable {
    /// The clock of the times.
    enum Clock: Sendable {
        /// The coordinator's clock: the time in each event.
        case events
        /// The reader's clock: the time of receipt.
        case receipt
    }

    private static let time = EventLine.Key("time")
    private static let operation = EventLine.Key("operation")
    private static let count = EventLine.Key("count")
    private static let job = EventLine.Key("job")
    private static let state = EventLine.Key("state")
    /// The maximum number of events per request.
    private static let pageLength: UInt32 = 10_000

    /// The start times of operations, in the order of the events.
    private(set) var starts: [Timestamp] = []
    /// The end times of operations, in the order of the events.
    private(set) var ends: [Timestamp] = []
    /// The end time of the job.
    private(set) var jobEnd: Timestamp?
    /// The number of the last event read.
    private(set) var last: UInt64

    private let number: Substring
    private let clock: Clock

    /// Prepares to read events after a given event.
    init(of job: JobNumber, after last: UInt64, clock: Clock) {
        number = Substring(job.description)
        self.last = last
        self.clock = clock
    }

    /// Reads events until the job is finished, or for as long as a condition holds.
    mutating func read(
        on connection: ClientConnection,
        while isWanted: (EventTimes) -> Bool = { $0.jobEnd == nil }
    ) async throws {
        while isWanted(self) {
            let page = try await connection.events(since: last, limit: Self.pageLength, atMost: .seconds(30))
            last = page.last
            receive(page, receivedAt: .now)
        }
    }

    /// Reads all events that are available now.
    mutating func readAll(on connection: ClientConnection) async throws {
        while true {
            let page = try await connection.events(since: last, limit: Self.pageLength, atMost: .zero)
            if page.lines.isEmpty { return }
            last = page.last
            receive(page, receivedAt: .now)
        }
    }

    private mutating func receive(_ page: EventPage, receivedAt moment: Timestamp) {
        for bytes in page.lines.split(separator: UInt8(ascii: "\n")) {
            let line = EventLine(bytes)
            let state = line.value(Self.state)
            let isEnd = state == "finished"
            guard isEnd || state == "executing" else { continue }
            if let operation = line.value(Self.operation) {
                guard operation.prefix(while: { $0 != "/" }) == number else { continue }
                let count = line.value(Self.count).flatMap { Int($0) } ?? 1
                let times = repeatElement(time(of: line, moment), count: count)
                if isEnd { ends += times } else { starts += times }
            } else if line.value(Self.job) == number {
                jobEnd = time(of: line, moment)
            }
        }
    }

    private func time(of line: EventLine, _ receipt: Timestamp) -> Timestamp {
        guard clock == .events else { return receipt }
        return line.value(Self.time).flatMap { Timestamp(iso8601: String($0)) } ?? receipt
    }
}
