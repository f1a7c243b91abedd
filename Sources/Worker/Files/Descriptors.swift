#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// Names of their own for open(2) and close(2), for use in types that have methods of these names.

/// Opens a file, close-on-exec; negative where that fails, with the reason in errno.
func openDescriptor(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    open(path, flags | O_CLOEXEC, mode)
}

/// Closes a descriptor.
func closeDescriptor(_ descriptor: Int32) {
    close(descriptor)
}
