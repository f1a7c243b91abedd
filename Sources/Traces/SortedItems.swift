/// The items of a ``TimeSorter``, one after the other in the order of their times.
struct SortedItems {
    /// The bytes of a run that the merge reads at once.
    private static let blockLength = 64 << 10

    /// The items in memory, or none where all are in runs.
    private var items: [(time: Int64, range: Range<Int>)] = []
    private var bytes: [UInt8] = []
    /// The number of items in memory that have been passed on.
    private var position = 0
    private var readers: [RunReader] = []
    /// The first items of the runs; for equal times, the earlier run comes first.
    private var heads = MinimumHeap<RunHead>()

    /// Items in memory, in order.
    init(_ items: [(time: Int64, range: Range<Int>)], _ bytes: [UInt8]) {
        self.items = items
        self.bytes = bytes
    }

    /// Merges the sorted runs of a file.
    init(_ runs: [Range<Int64>], of file: SpillFile) throws(TraceError) {
        for (number, run) in runs.enumerated() {
            let reader = try RunReader(file, run, blockLength: Self.blockLength)
            if let time = reader.time { heads.insert(RunHead(time: time, run: number)) }
            readers.append(reader)
        }
    }

    /// The next item with its time; nil behind the last one.
    ///
    /// - Throws: ``TraceError`` if the file cannot be read.
    /// - Complexity: O(log runs).
    mutating func next() throws(TraceError) -> (time: Int64, bytes: ArraySlice<UInt8>)? {
        if position < items.count {
            let item = items[position]
            position += 1
            return (item.time, bytes[item.range])
        }
        guard let head = heads.removeFirst() else { return nil }
        let bytes = readers[head.run].item
        try readers[head.run].advance()
        if let time = readers[head.run].time { heads.insert(RunHead(time: time, run: head.run)) }
        return (head.time, bytes)
    }

    /// The first item of a run that has not been passed on.
    private struct RunHead: Comparable {
        var time: Int64
        var run: Int

        static func < (left: RunHead, right: RunHead) -> Bool { (left.time, left.run) < (right.time, right.run) }
    }

    /// The items of a run, one after the other.
    private struct RunReader {
        private let file: SpillFile
        private let blockLength: Int
        private var rest: Range<Int64>
        private var block: [UInt8] = []
        private var position = 0
        /// The time of the present item; nil behind the last.
        private(set) var time: Int64?
        /// The present item.
        private(set) var item: ArraySlice<UInt8> = []

        init(_ file: SpillFile, _ run: Range<Int64>, blockLength: Int) throws(TraceError) {
            self.file = file
            self.blockLength = blockLength
            rest = run
            try advance()
        }

        /// Goes on to the next item.
        mutating func advance() throws(TraceError) {
            item = []
            guard try fill(TimeSorter.headLength) else {
                time = nil
                return
            }
            let (start, length) = block.withUnsafeBytes { buffer in
                (
                    Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: position, as: Int64.self)),
                    UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: position + 8, as: UInt32.self))
                )
            }
            position += TimeSorter.headLength
            guard try fill(Int(length)) else {
                throw TraceError(message: "The temporary file of the trace was changed.")
            }
            time = start
            item = block[position..<position + Int(length)]
            position += Int(length)
        }

        /// Reads on until the block has a number of bytes; returns false at the end of the run.
        private mutating func fill(_ count: Int) throws(TraceError) -> Bool {
            guard block.count - position < count else { return true }
            let missing = count - (block.count - position)
            let wanted = Int(min(Int64(max(missing, blockLength)), rest.upperBound - rest.lowerBound))
            guard wanted >= missing else { return false }
            let read = try file.read(at: rest.lowerBound, count: wanted)
            rest = rest.lowerBound + Int64(read.count)..<rest.upperBound
            block = Array(block[position...]) + read
            position = 0
            return block.count >= count
        }
    }
}
