/// Puts items in the order of their times, of which more may come than fit into memory.
///
/// Items of the same time keep the order in which they came. Sorted runs go to a file, and ``forEach(_:)`` merges them: the memory
/// stays the same for any number of items.
struct TimeSorter {
    /// The bytes of items in memory at which a run goes to the file.
    static let runLength = 8 << 20
    /// The bytes of a run that the merge reads at once.
    private static let blockLength = 64 << 10
    /// The bytes in front of each item in a run: the time and the length.
    private static let headLength = 12

    private struct Item {
        var time: Int64
        var range: Range<Int>
    }

    private let directory: String
    private let runLength: Int
    private var items: [Item] = []
    private var bytes: [UInt8] = []
    private var file: SpillFile?
    /// The runs in the file.
    private var runs: [Range<Int64>] = []

    /// - Parameters:
    ///   - directory: where a file may be made.
    ///   - runLength: the bytes of items at which a run goes to the file.
    init(directory: String, runLength: Int = Self.runLength) {
        self.directory = directory
        self.runLength = runLength
    }

    /// Adds an item.
    mutating func append(_ item: [UInt8], at time: Int64) throws(TraceError) {
        items.append(Item(time: time, range: bytes.count..<bytes.count + item.count))
        bytes += item
        if bytes.count + items.count * MemoryLayout<Item>.stride >= runLength { try spill() }
    }

    /// Passes all items to a closure, in order, and forgets them.
    mutating func forEach(_ body: (Int64, ArraySlice<UInt8>) throws -> Void) throws {
        guard let file else {
            sortItems()
            for item in items { try body(item.time, bytes[item.range]) }
            items = []
            bytes = []
            return
        }
        try spill()
        var readers: [RunReader] = []
        for run in runs { readers.append(try RunReader(file, run, blockLength: Self.blockLength)) }
        // The heads of the runs in a heap; for equal times, the earlier run comes first.
        var heap = MinimumHeap<RunHead>()
        for (number, reader) in readers.enumerated() {
            if let time = reader.time { heap.insert(RunHead(time: time, run: number)) }
        }
        while let head = heap.removeFirst() {
            try body(head.time, readers[head.run].item)
            try readers[head.run].advance()
            if let time = readers[head.run].time { heap.insert(RunHead(time: time, run: head.run)) }
        }
        runs = []
        self.file = nil
    }

    private mutating func sortItems() {
        // The sort of the standard library is stable.
        items.sort { $0.time < $1.time }
    }

    private mutating func spill() throws(TraceError) {
        guard !items.isEmpty else { return }
        let file: SpillFile
        if let known = self.file { file = known } else { file = try SpillFile(in: directory) }
        self.file = file
        sortItems()
        var run: [UInt8] = []
        run.reserveCapacity(bytes.count + items.count * Self.headLength)
        for item in items {
            withUnsafeBytes(of: item.time.littleEndian) { run.append(contentsOf: $0) }
            withUnsafeBytes(of: UInt32(item.range.count).littleEndian) { run.append(contentsOf: $0) }
            run += bytes[item.range]
        }
        let start = file.length
        try file.append(run)
        runs.append(start..<file.length)
        items.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
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
