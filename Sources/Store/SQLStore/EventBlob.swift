@_spi(Baton) import BatonOperations

/// The form of a row's events in a column: about fifteen bytes each.
///
/// Numbers are varints, seven bits a byte, low bits first. Times are differences to the previous event, and the name of a
/// worker is written out once. The number of the first event has a column of its own.
enum EventBlob {
    /// The kind of an event; the numbers must not change as long as records with them exist.
    private enum Tag: UInt8 {
        case state = 0
        case cancelled = 1
        case held = 2
        case released = 3
        case priority = 4
        case dependencies = 5
        case progress = 6
        case jobSubmitted = 7
        case jobFinished = 8
        case queue = 9
        case worker = 10
        case commands = 11
        case workerRequest = 12
        case queueDeleted = 13
        case operationsAdded = 14
        case jobClosed = 15
        case jobCancelled = 16
        case recordIncomplete = 17
        case clockStepped = 18
        /// A queue with a rate, whose text stands behind what every queue has.
        case ratedQueue = 19
        case schedule = 20
        case limit = 21
        case paused = 24
        case continued = 25
        case signalled = 26
    }

    /// Marks the number of a kind if the name of the requester follows the time of the event.
    private static let hasRequester: UInt8 = 0x80

    /// Writes events, fast enough for three events with each operation.
    struct Writer {
        /// The bytes written so far.
        private(set) var bytes: [UInt8] = []
        private var time: Int64 = 0
        private var names: [String: UInt64] = [:]
        /// The name of the last event with one, and its number: most events in a row are about the same worker.
        private var last: (name: String, number: UInt64)?

        /// Appends an event.
        mutating func append(_ event: ClusterEvent) {
            switch event.subject {
            case .operations(let id, let count, let change): append(id, count, change, of: event)
            case .jobSubmitted(let job, let operations):
                begin(.jobSubmitted, event)
                number(UInt64(job.rawValue))
                number(UInt64(operations))
            case .operationsAdded(let job, let first, let count):
                begin(.operationsAdded, event)
                number(UInt64(job.rawValue))
                number(UInt64(first))
                number(UInt64(count))
            case .jobClosed(let job):
                begin(.jobClosed, event)
                number(UInt64(job.rawValue))
            case .jobFinished(let job, let counts):
                begin(counts.isCancelled ? .jobCancelled : .jobFinished, event)
                number(UInt64(job.rawValue))
                for outcome in Outcome.allCases { number(UInt64(clamping: counts[outcome])) }
                number(UInt64(clamping: counts.notNeeded))
                number(UInt64(clamping: counts.skippedAfterFailure))
            case .queue(let name, let settings):
                begin(settings.startRate == nil ? .queue : .ratedQueue, event)
                text(name)
                number(settings.maxConcurrent.map { UInt64(clamping: $0) + 1 } ?? 0)
                number(settings.isSuspended ? 1 : 0)
                number(settings.qualityOfService.map { UInt64($0.rawValue) + 1 } ?? 0)
                number(settings.total.map { UInt64(clamping: $0) + 1 } ?? 0)
                if let rate = settings.startRate { text(rate.description) }
            case .queueDeleted(let name):
                begin(.queueDeleted, event)
                text(name)
            case .worker(let worker, let condition):
                begin(.worker, event)
                name(worker)
                number(UInt64(condition.rawValue))
            case .workerRequest(let worker, let request):
                begin(.workerRequest, event)
                name(worker)
                number(UInt64(request.rawValue))
            case .schedule(let name, let news):
                begin(.schedule, event)
                text(name)
                number(UInt64(news.rawValue))
            case .limit(let change):
                begin(.limit, event)
                text(change.name)
                number(change.units.map { UInt64($0) + 1 } ?? 0)
            case .clockStepped(let step):
                begin(.clockStepped, event)
                number(UInt64(bitPattern: step.microseconds << 1 ^ step.microseconds >> 63))
            case .recordIncomplete(let jobs, let commits):
                begin(.recordIncomplete, event)
                number(jobs)
                number(commits)
            }
        }

        private mutating func append(
            _ id: OperationID,
            _ count: UInt32,
            _ change: ClusterEvent.OperationChange,
            of event: ClusterEvent
        ) {
            let tag: Tag =
                switch change {
                case .state: .state
                case .cancelled: .cancelled
                case .held(let isHeld): isHeld ? .held : .released
                case .paused(let isPaused): isPaused ? .paused : .continued
                case .signalled: .signalled
                case .priority: .priority
                case .dependencies: .dependencies
                case .commands: .commands
                case .progress: .progress
                }
            begin(tag, event)
            number(UInt64(id.job.rawValue))
            number(UInt64(id.index))
            number(UInt64(count))
            switch change {
            case .state(let state, let outcome, let attempt, let worker):
                number(UInt64(state.rawValue) | (outcome.map { UInt64($0.rawValue) + 1 } ?? 0) << 3)
                number(UInt64(attempt))
                name(worker)
            case .priority(let priority): number(UInt64(priority.rawValue + 8))
            case .progress(let progress):
                number(UInt64(progress.millionths))
                number(progress.message == nil ? 0 : 1)
                if let message = progress.message { text(message) }
            case .signalled(let signal): text(signal.rawValue)
            case .cancelled, .held, .paused, .dependencies, .commands: break
            }
        }

        private mutating func begin(_ tag: Tag, _ event: ClusterEvent) {
            bytes.append(event.by == nil ? tag.rawValue : tag.rawValue | hasRequester)
            let difference = event.time.rawValue &- time
            number(UInt64(bitPattern: difference << 1 ^ difference >> 63))
            time = event.time.rawValue
            if let by = event.by { name(by) }
        }

        private mutating func number(_ value: UInt64) {
            var rest = value
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
        }

        private mutating func text(_ text: String) {
            number(UInt64(text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        }

        /// Appends a name that may repeat: 0 for nil, else the number of the name, from 1.
        ///
        /// The name itself follows its number the first time.
        private mutating func name(_ name: String?) {
            guard let name else { return number(0) }
            if let last, last.name == name { return number(last.number) }
            if let known = names[name] {
                last = (name, known)
                return number(known)
            }
            let new = UInt64(names.count) + 1
            names[name] = new
            last = (name, new)
            number(new)
            text(name)
        }
    }

    /// Reads the events of a column.
    ///
    /// - Parameters:
    ///   - first: the number of the first event.
    ///   - last: the last number of the last event.
    /// - Throws: `corrupt` unless ``Writer`` wrote the bytes for these numbers.
    static func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        first: UInt64,
        last: UInt64
    ) throws(SQLError) -> [ClusterEvent] {
        var reader = Reader(bytes: bytes)
        guard first <= last, last < .max else { throw reader.damaged }
        var events: [ClusterEvent] = []
        var sequence = first
        while !reader.isAtEnd {
            let event = try reader.event(sequence)
            guard event.count <= last + 1 - sequence else { throw reader.damaged }
            sequence += event.count
            events.append(event)
        }
        guard sequence == last + 1 else { throw reader.damaged }
        return events
    }

    private struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        var position = 0
        var time: Int64 = 0
        var names: [String] = []

        var isAtEnd: Bool { position == bytes.count }
        var damaged: SQLError { .damaged("a row of events makes no sense at byte \(position) of \(bytes.count)") }

        mutating func event(_ sequence: UInt64) throws(SQLError) -> ClusterEvent {
            guard let tag = Tag(rawValue: bytes[position] & ~hasRequester) else { throw damaged }
            let isRequested = bytes[position] & hasRequester != 0
            position += 1
            let folded = try number(as: UInt64.self)
            time = time &+ Int64(bitPattern: folded >> 1 ^ (0 &- (folded & 1)))
            let by = isRequested ? try value(name()) : nil
            return ClusterEvent(
                sequence: sequence,
                time: Timestamp(rawValue: time),
                by: by,
                subject: try subject(tag)
            )
        }

        private mutating func subject(_ tag: Tag) throws(SQLError) -> ClusterEvent.Subject {
            switch tag {
            case .jobSubmitted:
                return .jobSubmitted(JobNumber(try number()), operations: try number())
            case .operationsAdded:
                return .operationsAdded(JobNumber(try number()), first: try number(), count: try number())
            case .jobClosed: return .jobClosed(JobNumber(try number()))
            case .jobFinished, .jobCancelled:
                let job = JobNumber(try number())
                var counts = JobCounts()
                for outcome in Outcome.allCases { counts[outcome] = try number() }
                counts.notNeeded = try number()
                counts.skippedAfterFailure = try number()
                counts.isCancelled = tag == .jobCancelled
                return .jobFinished(job, counts)
            case .queue, .ratedQueue:
                let name = try text()
                var settings = QueueSettings()
                settings.maxConcurrent = try optional()
                settings.isSuspended = try flag()
                let quality: UInt8 = try number()
                if quality > 0 { settings.qualityOfService = try value(QualityOfService(rawValue: quality - 1)) }
                settings.total = try optional()
                if tag == .ratedQueue { settings.startRate = try value(StartRate(try text())) }
                return .queue(name, settings)
            case .queueDeleted: return .queueDeleted(try text())
            case .worker:
                guard let worker = try name() else { throw damaged }
                return .worker(worker, try value(WorkerCondition(rawValue: try number())))
            case .workerRequest:
                guard let worker = try name() else { throw damaged }
                return .workerRequest(worker, try value(WorkerRequest(rawValue: try number())))
            case .schedule:
                let name = try text()
                return .schedule(name, try value(ScheduleNews(rawValue: try number())))
            case .limit:
                let name = try text()
                let units: UInt64 = try number()
                return .limit(LimitChange(name, units: try units == 0 ? nil : value(UInt32(exactly: units - 1))))
            case .clockStepped:
                let folded = try number(as: UInt64.self)
                return .clockStepped(.microseconds(Int64(bitPattern: folded >> 1 ^ (0 &- (folded & 1)))))
            case .recordIncomplete: return .recordIncomplete(jobs: try number(), commits: try number())
            case .state, .cancelled, .held, .released, .priority, .dependencies, .commands, .progress, .paused,
                .continued, .signalled:
                let id = OperationID(job: JobNumber(try number()), index: try number())
                let count: UInt32 = try number()
                guard count > 0, !id.index.addingReportingOverflow(count - 1).overflow else { throw damaged }
                return .operations(id, count: count, try change(tag))
            }
        }

        private mutating func change(_ tag: Tag) throws(SQLError) -> ClusterEvent.OperationChange {
            switch tag {
            case .state:
                let word: UInt8 = try number()
                let state = try value(OperationState(rawValue: word & 7))
                let outcome = word >> 3 == 0 ? nil : try value(Outcome(rawValue: (word >> 3) - 1))
                return .state(state, outcome: outcome, attempt: try number(), worker: try name())
            case .held: return .held(true)
            case .released: return .held(false)
            case .paused: return .paused(true)
            case .continued: return .paused(false)
            case .signalled: return .signalled(try value(OperationSignal(rawValue: try text())))
            case .priority:
                let step: UInt8 = try number()
                guard step <= 16 else { throw damaged }
                return .priority(try value(Priority(rawValue: Int8(step) - 8)))
            case .progress:
                let millionths: UInt32 = try number()
                guard millionths <= OperationProgress.whole else { throw damaged }
                return .progress(OperationProgress(millionths: millionths, message: try flag() ? try text() : nil))
            case .dependencies: return .dependencies
            case .commands: return .commands
            default: return .cancelled
            }
        }

        private mutating func number<Value: FixedWidthInteger>(
            as type: Value.Type = Value.self
        ) throws(SQLError) -> Value {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                guard position < bytes.count, shift < 64 else { throw damaged }
                let byte = bytes[position]
                guard shift < 63 || byte <= 1 else { throw damaged }
                position += 1
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { break }
                shift += 7
            }
            guard let exact = Value(exactly: value) else { throw damaged }
            return exact
        }

        /// Reads a number, or nil for 0; other numbers are stored with 1 added.
        private mutating func optional() throws(SQLError) -> Int? {
            let number: UInt64 = try number()
            return number == 0 ? nil : try value(Int(exactly: number - 1))
        }

        private mutating func flag() throws(SQLError) -> Bool {
            switch try number(as: UInt8.self) {
            case 0: false
            case 1: true
            default: throw damaged
            }
        }

        private func value<Value>(_ value: Value?) throws(SQLError) -> Value {
            guard let value else { throw damaged }
            return value
        }

        private mutating func text() throws(SQLError) -> String {
            let length: Int = try number()
            guard length <= bytes.count - position else { throw damaged }
            let utf8 = UnsafeBufferPointer(rebasing: bytes[position..<position + length])
            guard let text = String(validating: utf8, as: UTF8.self) else { throw damaged }
            position += length
            return text
        }

        private mutating func name() throws(SQLError) -> String? {
            let number: Int = try number()
            guard number > 0 else { return nil }
            if number <= names.count { return names[number - 1] }
            guard number == names.count + 1 else { throw damaged }
            names.append(try text())
            return names[number - 1]
        }
    }
}
