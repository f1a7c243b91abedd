import Client
import Documents
import Operations
import Wire

/// When the operations of a job started and finished, as the stream of events tells it.
struct EventTimes: Sendable {
    /// Which clock the times are from.
    enum Clock: Sendable {
        /// The coordinator's, as it stands in the events.
        case events
        /// That of whoever reads, at the receipt.
        case receipt
    }

    private static let executing = Array(#""state":"executing""#.utf8)
    private static let finished = Array(#""state":"finished""#.utf8)
    private static let job = Array(#""event":"job""#.utf8)

    /// When operations started, in the order of the events.
    private(set) var starts: [Timestamp] = []
    /// When operations finished, in the order of the events.
    private(set) var ends: [Timestamp] = []
    /// When the job was finished.
    private(set) var jobEnd: Timestamp?
    /// The number of the last event that was read.
    private(set) var last: UInt64

    private let number: JobNumber
    private let clock: Clock
    private let stride: Int
    private var lines = 0

    /// Prepares to read on after an event.
    ///
    /// - Parameter stride: only each so-many-th event counts: a sample does where there are many, and reading takes time.
    init(of job: JobNumber, after last: UInt64, clock: Clock, stride: Int = 1) {
        number = job
        self.last = last
        self.clock = clock
        self.stride = max(1, stride)
    }

    /// Reads on until the job is finished, or for as long as something wants it.
    mutating func read(
        on connection: ClientConnection,
        while isWanted: (EventTimes) -> Bool = { $0.jobEnd == nil }
    ) async throws {
        while isWanted(self) {
            let page = try await connection.events(since: last, atMost: .seconds(30))
            last = page.last
            try take(page, receivedAt: .now)
        }
    }

    /// Reads what there is already.
    mutating func readAll(on connection: ClientConnection) async throws {
        while true {
            let page = try await connection.events(since: last, atMost: .zero)
            if page.lines.isEmpty { return }
            last = page.last
            try take(page, receivedAt: .now)
        }
    }

    private mutating func take(_ page: EventPage, receivedAt moment: Timestamp) throws {
        for line in page.lines.split(separator: UInt8(ascii: "\n")) {
            if line.contains(Self.job) {
                let event = try DocumentReader.read(EventDocument.self, from: Array(line))
                if event.job == number, event.state == "finished" { jobEnd = time(event, moment) }
                continue
            }
            let isStart = line.contains(Self.executing)
            guard isStart || line.contains(Self.finished) else { continue }
            lines += 1
            // Starts and ends may take turns: both are to be met by an even stride.
            guard lines / 2 % stride == 0 else { continue }
            let event = try DocumentReader.read(EventDocument.self, from: Array(line))
            guard event.operation?.job == number else { continue }
            let times = repeatElement(time(event, moment), count: Int(event.count ?? 1))
            if isStart { starts += times } else { ends += times }
        }
    }

    private func time(_ event: EventDocument, _ receipt: Timestamp) -> Timestamp {
        clock == .receipt ? receipt : event.time ?? receipt
    }
}
