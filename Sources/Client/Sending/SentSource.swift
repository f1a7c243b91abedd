@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file of this host that is sent with a job.
@_spi(Baton) public struct SentSource: Hashable, Sendable {
    /// The path that operations know it by, with "/" between the parts.
    public let path: String
    /// Where it is, without a link as the last part.
    public let place: String
    /// The number of its bytes when it was found.
    public let size: Int64
    /// Its permissions.
    public let mode: UInt16

    /// Describes a file.
    public init(path: String, place: String, size: Int64, mode: UInt16) {
        self.path = path
        self.place = place
        self.size = size
        self.mode = mode
    }

    /// Computes what becomes of the file in the job: its digest and its size at present.
    ///
    /// - Parameter onBytes: called with the number of bytes that were read; an error ends the reading.
    func kept(onBytes: (Int) throws -> Void) throws -> KeptFile {
        let file = try SentContent(of: self)
        var hash = SHA256()
        var size: Int64 = 0
        while case let bytes = try file.read(at: size, atMost: SentContent.pieceLength), !bytes.isEmpty {
            hash.update(bytes)
            size += Int64(bytes.count)
            try onBytes(bytes.count)
        }
        // What was written to meanwhile may be half of what was there before, and half of what comes.
        guard !file.hasChanged, let digest = ContentDigest(bytes: hash.finish()) else { throw SendError.changed(place) }
        return KeptFile(path: path, size: size, mode: mode, digest: digest)
    }
}

/// The bytes of an open file.
final class SentContent {
    /// The bytes that are read at once to compute a digest.
    static let pieceLength = 1 << 20

    private let place: String
    private let descriptor: Int32
    /// What the system said of the file when it was opened.
    private let opened: stat

    /// Opens the file, and nothing that has come into its place.
    init(of source: SentSource) throws(SendError) {
        place = source.place
        descriptor = systemOpen(source.place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SendError(reading: source.place, errno) }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        opened = status
        // The object is whole, and closes the file.
        guard isKnown, status.st_mode & S_IFMT == S_IFREG else { throw .changed(source.place) }
    }

    deinit { systemClose(descriptor) }

    /// Whether anybody has written to the file since it was opened.
    var hasChanged: Bool {
        var present = stat()
        guard fstat(descriptor, &present) == 0 else { return true }
        let (before, after) = (opened.modifiedAt, present.modifiedAt)
        return present.st_size != opened.st_size || after.tv_sec != before.tv_sec || after.tv_nsec != before.tv_nsec
    }

    /// The bytes at an offset: as many as were asked for, unless the file ends before; none at its end.
    func read(at offset: Int64, atMost limit: Int) throws(SendError) -> [UInt8] {
        var (count, code) = (0, Int32(0))
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, length in
            while count < limit {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let read = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
                if read < 0, errno == EINTR { continue }
                if read < 0 { code = errno }
                guard read > 0 else { break }
                count += read
            }
            length = count
        }
        guard code == 0 else { throw SendError(reading: place, code) }
        return bytes
    }
}

extension stat {
    /// The time of the last change of the content.
    fileprivate var modifiedAt: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
    open(path, flags)
}

private func systemClose(_ descriptor: Int32) {
    close(descriptor)
}
