import Operations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The two open files that an attempt prints to; its commands share them.
///
/// Whoever opened it closes it, through ``OutputArchive/close(_:)``.
struct AttemptOutput: Sendable {
    /// The files' common path, without `.out` and `.err`.
    let stem: String
    /// Open for reading and appending.
    let standardOutput: Int32
    /// Open for reading and appending.
    let standardError: Int32

    /// Makes both files, empty.
    static func open(at stem: String) throws(FileFailure) -> AttemptOutput {
        let standardOutput = try openFile(stem + ".out")
        do {
            return AttemptOutput(
                stem: stem,
                standardOutput: standardOutput,
                standardError: try openFile(stem + ".err")
            )
        } catch {
            closeDescriptor(standardOutput)
            unlink(stem + ".out")
            throw error
        }
    }

    private static func openFile(_ path: String) throws(FileFailure) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOCTTY
        let descriptor = openDescriptor(path, flags, 0o644)
        guard descriptor >= 0 else { throw FileFailure("Cannot write the output", path) }
        return descriptor
    }

    /// The end of what a stream got.
    static func tail(of descriptor: Int32) -> OutputTail {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return OutputTail() }
        let length = UInt64(status.st_size)
        let kept = min(length, UInt64(OutputTail.maximumLength))
        return OutputTail(
            totalLength: length,
            bytes: readBytes(descriptor, from: length - kept, atMost: Int(kept))
        )
    }
}
