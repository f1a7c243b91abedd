import BatonOperations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Who the worker of a directory is, as a file of the directory says.
///
/// It is to be read and written by whoever holds the lock of the directory.
struct WorkerIdentity: Hashable {
    /// The random number that the directory was given.
    var id: WorkerID
    /// The name that was made up for a worker that was given none; nil where it was given one.
    var madeUpName: String?

    /// The identity in a file; nil where there is none that can be read.
    static func read(_ path: String) -> WorkerIdentity? {
        let descriptor = openDescriptor(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { closeDescriptor(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard (1...2).contains(words.count), let id = UInt64(words[0], radix: 16), id != 0 else { return nil }
        let name = words.dropFirst().first.map(String.init)
        if let name, !Name.isValid(name) { return nil }
        return WorkerIdentity(id: WorkerID(rawValue: id), madeUpName: name)
    }

    /// Puts another file in the place of the one that is there: a crash leaves one of the two.
    func write(to path: String) throws(FileFailure) {
        let words = [id.description] + (madeUpName.map { [$0] } ?? [])
        try SmallFile.replace(path, with: words.joined(separator: " ") + "\n")
    }

    /// Makes up a name: the host's, and a few letters and digits by which workers of one host, or of hosts that have one name,
    /// are told apart.
    static func makeUpName(host: String, using generator: inout some RandomNumberGenerator) -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        let suffix = String((0..<6).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        let name = "\(host)-\(suffix)"
        // A host whose name is a number, as in containers, gets a letter before it.
        return Name.isValid(name)
            ? name : "host-" + String(host.filter { $0.isLetter || $0.isNumber }.prefix(60)) + "-\(suffix)"
    }
}
