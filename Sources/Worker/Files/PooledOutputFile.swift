#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file of the archive that nothing has been printed to, made for whichever stream needs one next.
///
/// Making and removing a file costs the worker more than anything else of a short attempt, and most attempts print
/// nothing: so one that is still blank serves again.
struct PooledOutputFile: Sendable {
    /// What the names of all of them start with, and those of kept streams never.
    static let namePrefix = "blank-"

    let path: String
    /// Open for reading only.
    let reader: Int32

    /// Makes one.
    ///
    /// - Returns: the file, and a descriptor that appends to it.
    static func make(at path: String) throws(FileFailure) -> (file: PooledOutputFile, writer: Int32) {
        let writer = openDescriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0o644)
        guard writer >= 0 else { throw FileFailure("Cannot write the output", path) }
        let reader = openDescriptor(path, O_RDONLY)
        guard reader >= 0 else {
            let failure = FileFailure("Cannot read the output", path)
            closeDescriptor(writer)
            unlink(path)
            throw failure
        }
        return (PooledOutputFile(path: path, reader: reader), writer)
    }

    /// A descriptor of its own that appends, so that no other attempt's processes share its state; nil where the file
    /// has gone or no descriptor is left.
    func openWriter() -> Int32? {
        let writer = openDescriptor(path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        return writer >= 0 ? writer : nil
    }

    /// How much has been printed to it, in bytes.
    var length: UInt64 {
        var status = stat()
        return fstat(reader, &status) == 0 ? UInt64(status.st_size) : 0
    }

    /// Whether it is empty, and nobody is left who could still print to it.
    ///
    /// An attempt's process that moved to another session outlives the attempt, and keeps its descriptors. The kernel
    /// grants a read lease only on a file that nobody has open for writing (fcntl(2), "Leases"), whatever way the
    /// descriptor went. Where there are no leases, or not on this file system, the answer is no.
    var isBlankForGood: Bool {
        #if os(Linux)
            // The kernel's numbers, which Swift's Glibc module leaves out.
            let setSignal: Int32 = 10
            let setLease: Int32 = 1024
            // Whoever opens it for writing just now makes the kernel signal the holder of the lease: by default SIGIO,
            // which would end the worker. SIGURG is ignored. The end of a lease takes the setting with it.
            guard fcntl(reader, setSignal, SIGURG) == 0, fcntl(reader, setLease, Int32(F_RDLCK)) == 0 else {
                return false
            }
            // Only now: a writer might have come to its end after a look that was taken before.
            var status = stat()
            let isEmpty = fstat(reader, &status) == 0 && status.st_size == 0
            return fcntl(reader, setLease, Int32(F_UNLCK)) == 0 && isEmpty
        #else
            return false
        #endif
    }

    /// Removes it; what still prints to it prints to nowhere.
    func remove() {
        unlink(path)
        closeDescriptor(reader)
    }
}
