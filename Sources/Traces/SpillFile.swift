#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file for what does not fit into memory, which no other process sees and which ends with the object.
final class SpillFile {
    private let descriptor: Int32
    private let directory: String
    /// The number of bytes in the file.
    private(set) var length: Int64 = 0

    /// Creates a file without a name in a directory.
    ///
    /// - Throws: ``TraceError`` if the directory cannot have a file.
    init(in directory: String) throws(TraceError) {
        var template = Array("\(directory)/baton-trace-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        self.directory = directory
        guard descriptor >= 0 else { throw TraceError(directory: directory, code: errno) }
        // A killed process leaves nothing.
        unlink(template)
    }

    deinit { close(descriptor) }

    /// Appends bytes.
    func append(_ bytes: [UInt8]) throws(TraceError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written, off_t(length))
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw TraceError(directory: directory, code: count < 0 ? errno : ENOSPC)
            }
            written += count
            length += Int64(count)
        }
    }

    /// Returns bytes of the file, fewer at its end.
    func read(at offset: Int64, count: Int) throws(TraceError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let start = buffer.baseAddress?.advanced(by: filled)
                let number = pread(descriptor, start, count - filled, off_t(offset) + off_t(filled))
                if number < 0, errno == EINTR { continue }
                if number < 0 { code = errno }
                guard number > 0 else { break }
                filled += number
            }
        }
        guard code == 0 else { throw TraceError(directory: directory, code: code) }
        return bytes
    }
}

/// A failure of the file that holds a part of a long trace.
@_spi(Baton) public struct TraceError: Error, Hashable, Sendable {
    /// What happened, to what, and what to do.
    public var message: String

    init(directory: String, code: Int32) {
        let reason = String(cString: strerror(code))
        message = "A temporary file in \(directory) cannot be used: \(reason). Set TMPDIR to another directory."
    }

    init(message: String) {
        self.message = message
    }
}
