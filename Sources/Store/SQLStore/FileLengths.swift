/// The lengths that the files of an open record have at least.
///
/// SQLite does not notice that another program has cut a file in its place: it reads zeros, and would copy them into the record.
struct FileLengths {
    /// A file of a record that another program has cut, or written into.
    enum HarmedFile {
        case record, log, index
        /// The index is an older one, or that of another log.
        case replacedIndex
    }

    /// The number of bytes of a page.
    private let pageSize: Int64
    /// How long the file was when it last had all pages, or when it was opened.
    private var recordLength: Int64

    /// The bytes before the first frame of a log.
    private static let logHeader: Int64 = 32
    /// The bytes of a frame before its page.
    private static let frameHeader: Int64 = 24
    /// The bytes of the index that SQLite maps first, and that are always there.
    static let indexLength: Int64 = 32_768

    /// Notes the length of a file that is open.
    init(pageSize: Int64, record: Int64) {
        self.pageSize = pageSize
        recordLength = record
    }

    /// Compares lengths with what the index of the log says, which has to be read after them.
    ///
    /// A copy of the log into the file, also by another program, may make both shorter: the index says so before.
    ///
    /// - Parameters:
    ///   - record: the length of the file; nil if it is not in its place.
    ///   - log: the length of the log; nil if it is not in its place.
    /// - Returns: the file that is too short; nil for none.
    mutating func cutFile(record: Int64?, log: Int64?, by index: Database.LogIndex) -> HarmedFile? {
        let whole = index.pages * pageSize
        if index.pages > 0 {
            recordLength = index.copied == index.frames ? whole : min(recordLength, whole)
        }
        if let record, record < recordLength { return .record }
        guard let log, index.frames > 0 else { return nil }
        return log < Self.logLength(frames: index.frames, pageSize: pageSize) ? .log : nil
    }

    /// The length of a log with a number of frames.
    static func logLength(frames: Int64, pageSize: Int64) -> Int64 { logHeader + frames * (frameHeader + pageSize) }
}
