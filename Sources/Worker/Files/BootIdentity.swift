#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What tells one boot of a host from all other boots, of this host and of others.
///
/// What a process has stored in a mapped file, and not written to the disk, is there for other processes until the host's next boot.
struct BootIdentity: Equatable {
    /// The 128 random bits that the kernel drew; not both 0.
    let words: (UInt64, UInt64)

    init?(words: (UInt64, UInt64)) {
        guard words != (0, 0) else { return nil }
        self.words = words
    }

    /// Reads a boot's identity as the kernel writes it: 32 hexadecimal digits in groups.
    init?(_ text: String) {
        let digits = text.filter { $0 != "-" && !$0.isWhitespace }
        guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.init(words: (high, low))
    }

    static func == (left: BootIdentity, right: BootIdentity) -> Bool { left.words == right.words }

    /// The present boot of this host; nil where the kernel does not tell it.
    static var current: BootIdentity? {
        let descriptor = openDescriptor("/proc/sys/kernel/random/boot_id", O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { closeDescriptor(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return BootIdentity(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
    }
}
