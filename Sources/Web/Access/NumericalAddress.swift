#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An address of the Internet Protocol, whatever its notation.
struct NumericalAddress: Hashable, Sendable {
    /// The 16 bytes of an IPv6 address; an IPv4 address is mapped into them (RFC 4291, section 2.5.5.2).
    private let bytes: [UInt8]

    /// Reads the notation of an IPv4 or IPv6 address, without brackets; nil for any other text.
    init?(_ text: some StringProtocol) {
        var buffer = [UInt8](repeating: 0, count: 16)
        let text = String(text)
        guard !text.utf8.contains(0) else { return nil }
        if inet_pton(AF_INET6, text, &buffer) == 1 {
            bytes = buffer
        } else if inet_pton(AF_INET, text, &buffer) == 1 {
            bytes = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + buffer.prefix(4)
        } else {
            return nil
        }
    }

    private var isMapped: Bool { bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF }

    /// Whether the address is one of this host alone.
    var isLoopback: Bool { isMapped ? bytes[12] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1 }

    /// Whether the address stands for all addresses of a host.
    var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } || isMapped && bytes.suffix(4).allSatisfy { $0 == 0 } }
}
