#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The processes that can write to a file.
enum FileWriters {
    /// Whether no process has a file open for writing; false if the system cannot tell.
    ///
    /// The kernel grants a read lease only on such a file (fcntl(2), "Leases").
    ///
    /// - Parameter descriptor: the file, open for reading alone.
    static func areNone(of descriptor: Int32) -> Bool {
        #if os(Linux)
            // The kernel's numbers, missing in Swift's Glibc module. The signal to a holder of a lease would end the worker.
            let (setSignal, setLease): (Int32, Int32) = (10, 1024)
            guard fcntl(descriptor, setSignal, SIGURG) == 0, fcntl(descriptor, setLease, Int32(F_RDLCK)) == 0 else {
                return false
            }
            return fcntl(descriptor, setLease, Int32(F_UNLCK)) == 0
        #else
            return false
        #endif
    }
}
