@_spi(Baton) import BatonOperations

/// One item of a trace, in its form in the sorter.
enum TraceItem {
    /// Operations became ready, or (a negative number) ceased to be ready without a start.
    case ready(Int64)
    /// An attempt ran.
    case slice(TraceSlice)
    /// An attempt was lost before its worker reported a start.
    case loss(worker: UInt32, event: ArraySlice<UInt8>)
    /// A worker fetched files for an attempt, for some microseconds.
    case fetch(worker: UInt32, duration: Int64, event: ArraySlice<UInt8>)

    /// The item as bytes.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        switch self {
        case .ready(let change):
            append(UInt8(0))
            append(change)
        case .slice(let slice):
            append(UInt8(1))
            append(slice.flags.rawValue)
            append(slice.duration)
            append(slice.worker)
            append(slice.operation)
            append(slice.attempt)
            bytes += slice.event
        case .loss(let worker, let event):
            append(UInt8(2))
            append(worker)
            bytes += event
        case .fetch(let worker, let duration, let event):
            append(UInt8(3))
            append(worker)
            append(duration)
            bytes += event
        }
        return bytes
    }

    /// Reads an item; nil for bytes of another form.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
            guard rest.count >= MemoryLayout<Number>.size else { return nil }
            defer { rest = rest.dropFirst(MemoryLayout<Number>.size) }
            return rest.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
        }
        switch number(UInt8.self) {
        case 0:
            guard let change = number(Int64.self) else { return nil }
            self = .ready(change)
        case 1:
            guard let flags = number(UInt8.self), let duration = number(Int64.self), let worker = number(UInt32.self),
                let operation = number(UInt32.self), let attempt = number(UInt32.self)
            else { return nil }
            self = .slice(
                TraceSlice(
                    flags: TraceSlice.Flags(rawValue: flags),
                    duration: duration,
                    worker: worker,
                    operation: operation,
                    attempt: attempt,
                    event: rest
                )
            )
        case 2:
            guard let worker = number(UInt32.self) else { return nil }
            self = .loss(worker: worker, event: rest)
        case 3:
            guard let worker = number(UInt32.self), let duration = number(Int64.self) else { return nil }
            self = .fetch(worker: worker, duration: duration, event: rest)
        default: return nil
        }
    }
}

/// An attempt that ran.
struct TraceSlice {
    /// What the attempt means for the counters, instants and flows.
    struct Flags: OptionSet {
        let rawValue: UInt8

        /// The attempt ended its operation, or will.
        static let last = Flags(rawValue: 1)
        /// The attempt has not ended.
        static let executing = Flags(rawValue: 2)
        /// The operation was counted as ready until the start.
        static let wasReady = Flags(rawValue: 4)
        /// The attempt was lost with its worker.
        static let lost = Flags(rawValue: 8)
    }

    var flags: Flags
    /// The run time in microseconds.
    var duration: Int64
    /// The worker's place in the table of workers.
    var worker: UInt32
    /// The index of the operation.
    var operation: UInt32
    /// The number of the attempt.
    var attempt: UInt32
    /// The members of the event that do not depend on the lane.
    var event: ArraySlice<UInt8>
}
