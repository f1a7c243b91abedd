@_spi(Baton) import BatonOperations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file that an attempt left at `BATON_RESULT`.
enum ResultFile {
    /// Whether the attempt left no result; a single system call.
    static func isMissing(at path: String) -> Bool {
        var status = stat()
        // The string itself as an argument would be copied into an array for the call.
        return path.withCString({ lstat($0, &status) }) != 0 && errno == ENOENT
    }

    /// Removes any file or directory at the path.
    static func remove(at path: String) {
        if unlink(path) != 0, errno != ENOENT { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Takes the result away; a single system call if the file is missing.
    ///
    /// - Returns: nil for a missing or empty file (DE20).
    /// - Throws: `FileFailure` for a file longer than ``AttemptResult/maximumResultLength``, and for anything but a
    ///   readable file.
    static func take(at path: String) throws(FileFailure) -> [UInt8]? {
        // O_NONBLOCK prevents a named pipe from blocking the thread.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            let failure = FileFailure("Cannot read the result", path)
            try? FileManager.default.removeItem(atPath: path)
            throw failure
        }
        defer {
            close(descriptor)
            if unlink(path) != 0 { try? FileManager.default.removeItem(atPath: path) }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure("Cannot read the result", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileFailure("Its result cannot be read: what is at its path is not a regular file.")
        }
        guard status.st_size <= AttemptResult.maximumResultLength else {
            throw FileFailure(
                "Its result has \(status.st_size) bytes, more than the \(AttemptResult.maximumResultLength) that a result "
                    + "may have. Keep large data in files, and let the result name them."
            )
        }
        let bytes = readBytes(descriptor, from: 0, atMost: Int(status.st_size))
        return bytes.isEmpty ? nil : bytes
    }
}

/// Reads bytes of a file up to a limit, or fewer at the end of the file.
func readBytes(_ descriptor: Int32, from offset: UInt64, atMost limit: Int) -> [UInt8] {
    guard limit > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
        while filled < limit {
            let count = pread(
                descriptor,
                buffer.baseAddress?.advanced(by: filled),
                limit - filled,
                off_t(clamping: offset) + off_t(filled)
            )
            if count > 0 {
                filled += count
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }
}
