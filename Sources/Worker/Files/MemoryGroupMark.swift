#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The path of the control group of a worker's limits of memory, stored as the text of a symbolic link in its directory.
///
/// After a killed process of the worker, the next process removes the empty control groups by the mark.
enum MemoryGroupMark {
    /// The beginning of the names of workers' control groups.
    static let namePrefix = "baton-"

    /// Replaces the mark.
    static func set(_ group: String, at path: String) {
        unlink(path)
        symlink(group, path)
    }

    /// The control group in the mark; nil without a mark.
    ///
    /// Other programs may put links in this place. Only the name of a group that a worker made is a mark.
    static func group(at path: String) -> String? {
        var text = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = text.withUnsafeMutableBytes { buffer in
            buffer.bindMemory(to: CChar.self).baseAddress.map { readlink(path, $0, buffer.count) } ?? -1
        }
        guard count > 0 else { return nil }
        let group = String(decoding: text.prefix(count), as: UTF8.self)
        return group.split(separator: "/").last?.hasPrefix(namePrefix) == true ? group : nil
    }
}
