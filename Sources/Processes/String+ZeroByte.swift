import Glibc

extension String {
    /// Whether the text has a zero byte, at which execve(2) would end it.
    var hasZeroByte: Bool {
        utf8.withContiguousStorageIfAvailable { $0.hasZeroByte } ?? utf8.contains(0)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes have a zero byte.
    var hasZeroByte: Bool { baseAddress.map { memchr($0, 0, count) != nil } ?? false }
}
