import Glibc

extension String {
    /// Whether the text has a zero byte, at which execve(2) would end it.
    var hasZeroByte: Bool {
        let found = utf8.withContiguousStorageIfAvailable { text in
            text.baseAddress.map { memchr($0, 0, text.count) != nil } ?? false
        }
        return found ?? utf8.contains(0)
    }
}
