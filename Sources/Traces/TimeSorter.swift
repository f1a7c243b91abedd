/// Puts items in the order of their times, of which more may come than fit into memory.
///
/// Items of the same time keep the order in which they came. Sorted runs go to a file, and ``SortedItems`` merges them: the memory
/// stays the same for any number of items.
struct TimeSorter {
    /// The bytes of items in memory at which a run goes to the file.
    static let runLength = 8 << 20
    /// The bytes in front of each item in a run: the time and the length.
    static let headLength = 12

    /// The bytes of a run that are written at once, about.
    private static let pieceLength = 128 << 10

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

    /// The items so far, in order; the sorter has none afterwards.
    ///
    /// - Throws: ``TraceError`` if the file cannot be written or read.
    mutating func takeItems() throws(TraceError) -> SortedItems {
        defer { (items, bytes, runs, file) = ([], [], [], nil) }
        guard let file else {
            sortItems()
            return SortedItems(items.map { ($0.time, $0.range) }, bytes)
        }
        try spill()
        return try SortedItems(runs, of: file)
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
        let start = file.length
        // A copy of the whole run would double the memory.
        var piece: [UInt8] = []
        piece.reserveCapacity(Self.pieceLength)
        for item in items {
            withUnsafeBytes(of: item.time.littleEndian) { piece.append(contentsOf: $0) }
            withUnsafeBytes(of: UInt32(item.range.count).littleEndian) { piece.append(contentsOf: $0) }
            piece += bytes[item.range]
            guard piece.count >= Self.pieceLength else { continue }
            try file.append(piece)
            piece.removeAll(keepingCapacity: true)
        }
        try file.append(piece)
        runs.append(start..<file.length)
        items.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }
}
