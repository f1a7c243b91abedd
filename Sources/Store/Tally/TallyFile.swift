#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file beside a record that has the record's tally (`baton.db-tally`).
///
/// SQLite takes a write-ahead log for whole up to its first damaged frame, and a missing log for an empty one. So the tally is in a
/// file of its own. It is written after the commit is on disk, and before anybody is told of the commit. Nothing forces the tally to
/// the disk: it survives the end of the process, and after a loss of power it is as old as the system likes. In either case it never
/// has more commits than were on disk.
final class TallyFile {
    /// What the file of a record says.
    enum Content: Hashable {
        /// There is no file.
        case missing
        /// The file has other bytes than those of a tally.
        case damaged
        /// A tally, with the identity of its record; nil for one that an earlier version has left.
        case tally(RecordTally, identity: UInt64?)

        /// The identity of the tally's record, as far as the file says it.
        var identity: UInt64? {
            if case .tally(_, let identity) = self { identity } else { nil }
        }
    }

    /// The place of the file.
    private enum Place {
        case descriptor(Int32)
        case disk(any RecordDisk, name: String)
    }

    private let place: Place
    /// Where the file of a descriptor has to be.
    private let filePlace: FilePlace?
    /// The number of bytes of the file.
    private let length: Int

    /// Whether a tally could not be written.
    private var hasFailed = false

    /// The most bytes of a file: first the tally, then the record's identity, which no commit changes.
    private static let mostBytes = RecordTally.length + identityLength
    /// The number of bytes of an identity: two words, the lowest byte of each first.
    private static let identityLength = 2 * MemoryLayout<UInt64>.size

    /// Whether the path still leads to the file, which was not moved, removed, replaced or cut, and takes what is written.
    var isInPlace: Bool { !hasFailed && filePlace.map { $0.length == Int64(length) } ?? true }

    /// The path of the tally of a record's file.
    static func path(of file: String) -> String { file + "-tally" }

    /// Reads the tally of a record.
    ///
    /// - Parameters:
    ///   - file: the record's file, without symbolic links.
    ///   - disk: the disk of the file; nil for the files of the system.
    ///   - record: the record's name as given by the user.
    /// - Throws: `notAccessible` if the file is there, and cannot be read.
    static func read(
        beside file: String,
        on disk: (any RecordDisk)?,
        record: String
    ) throws(StoreError) -> Content {
        let path = path(of: file)
        if let disk { return content(disk.read(path, atMost: mostBytes + 1)) }
        // Without O_NONBLOCK, a pipe of the name would let nobody start.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .missing }
            throw .tallyNotAccessible(record, systemError: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: mostBytes + 1)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw .tallyNotAccessible(record, systemError: errno) }
        return content(Array(bytes.prefix(count)))
    }

    private static func content(_ bytes: [UInt8]?) -> Content {
        guard let bytes else { return .missing }
        guard let tally = RecordTally(bytes: Array(bytes.prefix(RecordTally.length))) else { return .damaged }
        if bytes.count == RecordTally.length { return .tally(tally, identity: nil) }
        guard bytes.count == mostBytes else { return .damaged }
        func word(_ start: Int) -> UInt64 { bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        let identity = word(RecordTally.length)
        guard word(RecordTally.length + 8) == checksum(of: identity) else { return .damaged }
        return .tally(tally, identity: identity)
    }

    private static func checksum(of identity: UInt64) -> UInt64 {
        // The letters `BATNIDEN`.
        let sum = (identity ^ 0x4E45_4449_4E54_4142) &* 0x9E37_79B9_7F4A_7C15
        return sum ^ sum >> 29
    }

    /// All bytes of a file.
    private static func bytes(_ tally: RecordTally, identity: UInt64?) -> [UInt8] {
        var bytes = tally.withBytes { Array($0) }
        guard let identity else { return bytes }
        for word in [identity, checksum(of: identity)] {
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Opens the file for writing, and makes a missing one, with a tally that is on disk on return.
    ///
    /// - Parameters:
    ///   - tally: what the record has.
    ///   - identity: the record's identity; nil for a record of a version without one.
    ///   - isReplacing: whether to make a new file, which takes the place of whatever is there, but of no directory.
    /// - Throws: `notAccessible` or `full` if the file cannot be written.
    init(
        beside file: String,
        on disk: (any RecordDisk)?,
        record: String,
        _ tally: RecordTally,
        identity: UInt64?,
        isReplacing: Bool = false
    ) throws(StoreError) {
        let path = Self.path(of: file)
        let bytes = Self.bytes(tally, identity: identity)
        length = bytes.count
        if let disk {
            place = .disk(disk, name: path)
            filePlace = nil
            bytes.withUnsafeBytes { disk.write($0, to: path, isForced: true) }
            return
        }
        let name = isReplacing ? path + ".new" : path
        if isReplacing { unlink(name) }
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (isReplacing ? O_EXCL : 0)
        let descriptor = open(name, flags, 0o600)
        guard descriptor >= 0 else { throw .tallyNotAccessible(record, systemError: errno) }
        let isWritten =
            pwrite(descriptor, bytes, bytes.count, 0) == bytes.count && ftruncate(descriptor, off_t(bytes.count)) == 0
            && fsync(descriptor) == 0 && (!isReplacing || rename(name, path) == 0)
        guard isWritten else {
            let failure = errno
            close(descriptor)
            if isReplacing { unlink(name) }
            throw .tallyNotAccessible(record, systemError: failure)
        }
        filePlace = FilePlace(path, of: descriptor)
        place = .descriptor(descriptor)
        RecordCopy.syncDirectory(of: path)
    }

    /// Writes the tally, in place of the one before.
    ///
    /// If the file cannot be written, it keeps an earlier count, which is too low but not wrong, until another file takes its
    /// place.
    func write(_ tally: RecordTally) {
        switch place {
        case .descriptor(let descriptor):
            if tally.withBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) != RecordTally.length {
                hasFailed = true
            }
        case .disk(let disk, let name):
            tally.withBytes { disk.write($0, to: name, isForced: false) }
        }
    }

    deinit {
        if case .descriptor(let descriptor) = place { close(descriptor) }
    }
}
