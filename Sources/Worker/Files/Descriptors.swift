#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// Separate names for open(2) and close(2), for use in types with methods of the same names.

/// Opens a file, close-on-exec; returns a negative number on failure, with the reason in errno.
func openDescriptor(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    open(path, flags | O_CLOEXEC, mode)
}

/// Closes a descriptor.
func closeDescriptor(_ descriptor: Int32) {
    close(descriptor)
}
