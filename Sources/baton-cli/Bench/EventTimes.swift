import BatonClient
import BatonDocuments
import BatonOperations
import BatonWire

/// When the operations of a job started and finished, as the stream of events tells it.
struct EventTimes: Sendable {
    /// Which clock the times are from.
    enum Clock: Sendable {
        /// The coordinator's, as it stands in the events.
        case events
        /// That of whoever reads, at the receipt.
        case receipt
    }

    private static let time = EventLine.Key("time")
    private static let operation = EventLine.Key("operation")
    private static let count = EventLine.Key("count")
    private static let job = EventLine.Key("job")
    private static let state = EventLine.Key("state")
    /// How many events are asked for at a time.
    private static let pageLength: UInt32 = 10_000

    /// When operations started, in the order of the events.
    private(set) var starts: [Timestamp] = []
    /// When operations finished, in the order of the events.
    private(set) var ends: [Timestamp] = []
    /// When the job was finished.
    private(set) var jobEnd: Timestamp?
    /// The number of the last event that was read.
    private(set) var last: UInt64

    private let number: Substring
    private let clock: Clock

    /// Prepares to read on after an event.
    init(of job: JobNumber, after last: UInt64, clock: Clock) {
        number = Substring(job.description)
        self.last = last
        self.clock = clock
    }

    /// Reads on until the job is finished, or for as long as something wants it.
    mutating func read(
        on connection: ClientConnection,
        while isWanted: (EventTimes) -> Bool = { $0.jobEnd == nil }
    ) async throws {
        while isWanted(self) {
            let page = try await connection.events(since: last, limit: Self.pageLength, atMost: .seconds(30))
            last = page.last
            take(page, receivedAt: .now)
        }
    }

    /// Reads what there is already.
    mutating func readAll(on connection: ClientConnection) async throws {
        while true {
            let page = try await connection.events(since: last, limit: Self.pageLength, atMost: .zero)
            if page.lines.isEmpty { return }
            last = page.last
            take(page, receivedAt: .now)
        }
    }

    private mutating func take(_ page: EventPage, receivedAt moment: Timestamp) {
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
