@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file in which a worker leaves the attempts that the coordinator has not acknowledged to its successor in the directory.
///
/// The first line is `baton-kept FORMAT LENGTH CHECKSUM`; the encoded ``BatonWire/KeptAttempts`` follow. Only the holder of the
/// directory's lock uses the file. The successor removes it once the coordinator has acknowledged or dropped all attempts.
struct KeptAttemptsFile {
    /// The finding of a look at the file.
    enum Content {
        /// No worker has left anything.
        case missing
        /// What a worker has left.
        case kept(KeptAttempts)
        /// The file cannot be used, for the reason in the sentence.
        case unusable(String)
    }

    /// The format that this build writes and reads.
    static let format = 1
    /// The most bytes of the first line.
    private static let maximumHeaderLength = 64

    let path: String

    /// Where a file that cannot be used is put, for people.
    var damagedPath: String { path + ".damaged" }

    /// Replaces the file, on disk before the call returns; a crash leaves the old or the new file.
    func write(_ kept: KeptAttempts) throws(FileFailure) {
        let body = kept.encoded()
        let header = "baton-kept \(Self.format) \(body.count) \(CRC32.checksum(of: body))\n"
        try SmallFile.replace(path, withBytes: Array(header.utf8) + body)
    }

    /// Reads the file.
    ///
    /// - Complexity: O(length of the file), in time and memory, for any file.
    func read() -> Content {
        let descriptor = OwnFile.open(path, O_RDONLY)
        guard descriptor >= 0 else {
            return errno == ENOENT ? .missing : .unusable(FileFailure(own: "Cannot read the file", path).description)
        }
        defer { closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return .unusable(FileFailure("Cannot read the file", path).description)
        }
        let bytes = readBytes(descriptor, from: 0, atMost: Int(status.st_size))
        return Self.content(of: bytes)
    }

    private static func content(of bytes: [UInt8]) -> Content {
        guard let end = bytes.prefix(maximumHeaderLength).firstIndex(of: UInt8(ascii: "\n")) else {
            return .unusable("It does not begin with a line that names its format.")
        }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        guard words.count >= 2, words[0] == "baton-kept", let format = Int(words[1]) else {
            return .unusable("It does not begin with a line that names its format.")
        }
        guard format == Self.format else {
            return .unusable("It has format \(format), and this build reads format \(Self.format).")
        }
        let body = bytes[(end + 1)...]
        guard words.count == 4, Int(words[2]) == body.count, UInt32(words[3]) == CRC32.checksum(of: body) else {
            return .unusable("It was not written to its end, or has been changed since.")
        }
        do {
            return .kept(try body.withUnsafeBytes { try KeptAttempts(decoding: $0) })
        } catch {
            return .unusable("\(error)")
        }
    }

    /// Removes the file.
    func remove() {
        unlink(path)
    }

    /// Puts a file that cannot be used aside, in place of an earlier one.
    func putAside() {
        rename(path, damagedPath)
    }
}
