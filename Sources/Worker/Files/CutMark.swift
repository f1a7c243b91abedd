#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The stream offset of a trimmed file's first byte, stored as the text of a dangling symbolic link beside the file.
enum CutMark {
    private static func path(of file: String) -> String { file + ".base" }

    /// Marks a file.
    static func set(_ base: UInt64, of file: String) {
        unlink(path(of: file))
        symlink("\(base)", path(of: file))
    }

    /// The offset in a file's mark; 0 for a file without a mark.
    static func base(of file: String) -> UInt64 {
        var text = [UInt8](repeating: 0, count: 24)
        let count = text.withUnsafeMutableBytes { buffer in
            buffer.bindMemory(to: CChar.self).baseAddress.map { readlink(path(of: file), $0, buffer.count) } ?? -1
        }
        guard count > 0 else { return 0 }
        return UInt64(String(decoding: text.prefix(count), as: UTF8.self)) ?? 0
    }

    /// Removes the mark of a file, if any.
    static func remove(of file: String) {
        unlink(path(of: file))
    }
}
